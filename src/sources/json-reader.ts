import { FormatError } from '../lib/parse.ts';

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const letterN = 0x6e;
/**
 * Most that is parsed into objects or one string at once. A list of empty objects takes twenty
 * times its text, and a thread that runs out of memory in one allocation crashes the process.
 */
export const valueBytesMax: number = 1024 * 1024;

/**
 * A pull parser for JSON bytes. `JSON.parse` turns a sample of 25 bytes into some 120 bytes of
 * objects, so a large answer would not fit into a worker's memory; this creates only what the
 * caller keeps. Values that are skipped are checked for brackets and quotes only.
 *
 * Throws SyntaxError for invalid JSON, FormatError for a value of another type than asked for.
 */
export class JsonReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** Calls `visit` with each member's name; a value that it does not read is skipped. */
  object(visit: (name: string) => void): void {
    this.#open(openBrace, 'an object');
    if (this.#take(closeBrace)) return;
    do {
      const name = this.text();
      this.#require(colon);
      this.#peek();
      const before = this.#at;
      visit(name);
      if (this.#at === before) this.skip();
    } while (this.#take(comma));
    this.#require(closeBrace);
  }

  /** Calls `visit` for each element; an element it does not read is skipped. */
  array(visit: () => void): void {
    this.#open(openBracket, 'an array');
    if (this.#take(closeBracket)) return;
    do {
      this.#peek();
      const before = this.#at;
      visit();
      if (this.#at === before) this.skip();
    } while (this.#take(comma));
    this.#require(closeBracket);
  }

  /** As {@linkcode JsonReader.array}; Go writes a nil slice as null. */
  arrayOrNull(visit: () => void): void {
    if (this.#peek() === letterN) this.skip();
    else this.array(visit);
  }

  /**
   * The members of the next object with one of the names; `visit` is called for the others. Null if
   * they are too long to be parsed, so that a huge element does not cost the whole answer.
   */
  members(
    names: ReadonlySet<string>,
    visit: (name: string) => void = () => undefined,
  ): Readonly<Record<string, unknown>> | null {
    const found: Record<string, unknown> = {};
    let bytes = 0;
    this.object((name) => {
      if (!names.has(name)) {
        visit(name);
        return;
      }
      const span = this.span();
      bytes += span.length;
      if (bytes <= valueBytesMax) found[name] = JSON.parse(span.toString());
    });
    return bytes <= valueBytesMax ? found : null;
  }

  /** Reads `[[1, "2"], …]` without creating arrays. */
  numberPairs(visit: (first: number, second: number) => void): void {
    this.array(() => {
      this.#open(openBracket, 'a pair');
      const first = this.number();
      this.#require(comma);
      visit(first, this.number());
      this.#require(closeBracket);
    });
  }

  text(): string {
    if (this.#peek() !== quote) throw this.#other('a string');
    const from = this.#at;
    this.#skipText();
    this.#checkLength(from);
    const inner = this.#bytes.toString('utf8', from + 1, this.#at - 1);
    return inner.includes('\\') ? (JSON.parse(`"${inner}"`) as string) : inner;
  }

  /** A number, quoted or not: Prometheus writes `"1"`, `"NaN"`, `"+Inf"` and `"-Inf"`. */
  number(): number {
    const isQuoted = this.#peek() === quote;
    if (isQuoted) this.#at += 1;
    const from = this.#at;
    const plain = this.#plainDecimal();
    if (plain === null) {
      while (isNumberByte(this.#bytes[this.#at])) this.#at += 1;
    }
    const value = plain ?? parseFloatText(this.#bytes.toString('latin1', from, this.#at));
    if (value === null) throw this.#other('a number');
    if (isQuoted) {
      if (this.#bytes[this.#at] !== quote) throw this.#broken();
      this.#at += 1;
    }
    return value;
  }

  /** The next value as `JSON.parse` makes it. */
  value(): unknown {
    const span = this.span();
    this.#checkLength(this.#at - span.length);
    return JSON.parse(span.toString()) as unknown;
  }

  /** The bytes of the next value, without copying them. */
  span(): Buffer {
    this.#peek();
    const from = this.#at;
    this.skip();
    return this.#bytes.subarray(from, this.#at);
  }

  skip(): void {
    let depth = 0;
    do {
      const byte = this.#peek();
      if (byte === quote) {
        this.#skipText();
      } else {
        this.#at += 1;
        if (byte === openBrace || byte === openBracket) depth += 1;
        else if (byte === closeBrace || byte === closeBracket) depth -= 1;
        else if (depth === 0) this.#skipWord();
      }
    } while (depth > 0);
    if (depth < 0) throw this.#broken();
  }

  /** Throws unless everything has been read. */
  end(): void {
    while (isSpace(this.#bytes[this.#at])) this.#at += 1;
    if (this.#at < this.#bytes.length) throw this.#broken();
  }

  #open(byte: number, expected: string): void {
    if (this.#peek() !== byte) throw this.#other(expected);
    this.#at += 1;
  }

  #take(byte: number): boolean {
    if (this.#peek() !== byte) return false;
    this.#at += 1;
    return true;
  }

  #require(byte: number): void {
    if (!this.#take(byte)) throw this.#broken();
  }

  /** The next byte that is not white space; throws at the end. */
  #peek(): number {
    const bytes = this.#bytes;
    while (isSpace(bytes[this.#at])) this.#at += 1;
    const byte = bytes[this.#at];
    if (byte === undefined) throw this.#broken();
    return byte;
  }

  #skipText(): void {
    const bytes = this.#bytes;
    for (let at = this.#at + 1; at < bytes.length; at += 1) {
      const byte = bytes[at];
      if (byte === backslash) {
        at += 1;
      } else if (byte === quote) {
        this.#at = at + 1;
        return;
      }
    }
    throw this.#broken();
  }

  #skipWord(): void {
    const bytes = this.#bytes;
    for (; this.#at < bytes.length; this.#at += 1) {
      const byte = bytes[this.#at];
      if (byte === comma || byte === closeBrace || byte === closeBracket || isSpace(byte)) return;
    }
  }

  /**
   * The decimal here if its digits fit into a double's 53 bits: one division by an exact power of
   * ten then rounds correctly. Null for any other number, which is left unread.
   */
  #plainDecimal(): number | null {
    const bytes = this.#bytes;
    let at = this.#at;
    const isNegative = bytes[at] === 0x2d;
    if (isNegative) at += 1;
    let digits = 0;
    let fraction = -1;
    let mantissa = 0;
    for (let byte = bytes[at]; isNumberByte(byte); byte = bytes[++at]) {
      if (byte >= 0x30 && byte <= 0x39) {
        mantissa = mantissa * 10 + (byte - 0x30);
        if (mantissa > 0) digits += 1;
        if (fraction >= 0) fraction += 1;
      } else if (byte === 0x2e && fraction < 0) {
        fraction = 0;
      } else {
        return null;
      }
      if (digits > 15 || fraction > 22) return null;
    }
    const signs = (isNegative ? 1 : 0) + (fraction >= 0 ? 1 : 0);
    if (at - this.#at === signs) return null;
    this.#at = at;
    const value = fraction > 0 ? mantissa / (powersOfTen[fraction] ?? Number.NaN) : mantissa;
    return isNegative ? -value : value;
  }

  /** Throws if the value just read, which began at `from`, is too long to be parsed. */
  #checkLength(from: number): void {
    if (this.#at - from > valueBytesMax) throw this.#other(`at most ${valueBytesMax} bytes`, from);
  }

  #other(expected: string, at = this.#at): FormatError {
    const start = String.fromCharCode(this.#bytes[at] ?? 0);
    const found = examples.has(start) ? examples.get(start) : 0;
    return new FormatError(`byte ${at}`, expected, found);
  }

  #broken(): SyntaxError {
    return new SyntaxError(`Broken JSON at byte ${this.#at}`);
  }
}

/** A value that begins with the character, for messages; anything else is a number. */
const examples: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['{', {}], ['[', []], ['"', ''], ['n', null], ['t', true], ['f', false],
]);

/** The powers of ten that doubles hold exactly. */
const powersOfTen = Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`));

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/** Whether the byte can be part of a number as Go writes it: letter, digit, sign or point. */
function isNumberByte(byte: number | undefined): byte is number {
  return byte !== undefined && (
    (byte >= 0x30 && byte <= 0x39) || byte === 0x2e || byte === 0x2b || byte === 0x2d ||
    (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a)
  );
}

const special: ReadonlyMap<string, number> = new Map([
  ['NaN', Number.NaN], ['Inf', Infinity], ['+Inf', Infinity], ['-Inf', -Infinity],
]);

/** A float as Go prints it; null for any other text. */
export function parseFloatText(text: string): number | null {
  const known = special.get(text);
  if (known !== undefined) return known;
  return /^[+-]?\d+(\.\d*)?([eE][+-]?\d+)?$/.test(text) ? Number(text) : null;
}
