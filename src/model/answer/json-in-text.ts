/**
 * The JSON objects in a text, bare or among other text. Those with the given member come
 * first, and of equals the later ones, since a model corrects itself.
 */
export function objectsIn(answer: string, member: string): object[] {
  const whole = objectIn(answer);
  if (whole !== null) return [whole];
  const texts = objectTexts(answer).slice(-objectsMax);
  const found = [...texts, lastText(answer, member)].reverse()
    .flatMap((text) => objectIn(text) ?? []);
  const isSought = (object: object): boolean => Object.hasOwn(object, member);
  return [...found.filter(isSought), ...found.filter((object) => !isSought(object))];
}

const objectsMax = 64;

/** From the last brace before the member to the last of all, as an earlier one may never close. */
function lastText(answer: string, member: string): string {
  const at = answer.lastIndexOf(`"${member}"`);
  return at === -1 ? '' : answer.slice(answer.lastIndexOf('{', at), answer.lastIndexOf('}') + 1);
}

function objectIn(json: string): object | null {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

/** Every stretch from an outermost opening brace to the one that closes it. */
function objectTexts(answer: string): string[] {
  const texts: string[] = [];
  let depth = 0;
  let from = 0;
  let isInText = false;
  for (let at = 0; at < answer.length; at += 1) {
    const sign = answer[at];
    if (isInText) {
      if (sign === '\\') at += 1;
      else if (sign === '"' || sign === '\n') isInText = false;
    } else if (sign === '"') isInText = depth > 0;
    else if (sign === '{') {
      if (depth === 0) from = at;
      depth += 1;
    } else if (sign === '}' && depth > 0) {
      depth -= 1;
      if (depth === 0) texts.push(answer.slice(from, at + 1));
    }
  }
  return texts;
}

/** The text without a code fence at its start and at its end. */
export function unfenced(text: string): string {
  const begun = text.trim().replace(/^```\w*/, '');
  return (begun.endsWith('```') ? begun.slice(0, -3) : begun).trim();
}
