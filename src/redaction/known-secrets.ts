/** Shorter values would be found inside ordinary words; the log has the same limit. */
const lengthMin = 4;
/** Shorter encoded forms would be found inside ordinary words. */
const encodedMin = 8;
const secretsMax = 256;

/** One of the forms in which a known secret may appear. */
export interface KnownForm {
  readonly form: string;
  readonly secret: string;
}

/** The texts to look for, longest first: masking only a part would reveal the rest. */
export function formsOf(secrets: readonly string[]): KnownForm[] {
  const forms = new Map<string, string>();
  for (const secret of secrets.slice(0, secretsMax)) {
    if (secret.length < lengthMin) continue;
    for (const form of [...spelled(secret), ...encoded(secret)]) {
      if (!forms.has(form)) forms.set(form, secret);
    }
  }
  return [...forms]
    .map(([form, secret]) => ({ form, secret }))
    .sort((a, b) => b.form.length - a.form.length || (a.form < b.form ? -1 : 1));
}

/** The secret as it is, in URLs, in JSON and in HTML. */
function spelled(secret: string): string[] {
  const percent = encodeURIComponent(secret.replace(/\p{Surrogate}/gu, '\ufffd'));
  const lower = percent.replace(/%[\dA-F]{2}/g, (code) => code.toLowerCase());
  const strict = (text: string): string =>
    text.replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
  const html = secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;').replaceAll("'", '&#39;');
  return [
    secret, percent, lower, strict(percent), percent.replaceAll('%20', '+'),
    JSON.stringify(secret).slice(1, -1), html,
  ];
}

/**
 * The secret in hex, and in base64 at each of the three alignments at which it can begin in encoded
 * bytes (as in `user:secret`), without the characters that also depend on its neighbours.
 */
function encoded(secret: string): string[] {
  const bytes = Buffer.from(secret, 'utf8');
  const forms = [bytes.toString('hex'), bytes.toString('hex').toUpperCase()];
  for (const lead of [0, 1, 2]) {
    const whole = Buffer.concat([Buffer.alloc(lead), bytes]).toString('base64').replace(/=+$/, '');
    const from = lead === 0 ? 0 : lead + 1;
    const to = Math.floor(((lead + bytes.length) * 8) / 6);
    const core = whole.slice(from, to);
    forms.push(core, core.replaceAll('+', '-').replaceAll('/', '_'));
  }
  return forms.filter((form) => form.length >= encodedMin);
}
