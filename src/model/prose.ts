/**
 * A model's words as they may stand on a page: no way out of it and nothing to run. What the
 * evidence or the knowledge base says may be repeated; what only the model says is taken out.
 */

export type Stripped = 'address' | 'email' | 'command' | 'markup' | 'image' | 'package';

export interface CleanProse {
  readonly text: string;
  /** What was taken out, by kind; kinds of which nothing was are not in it. */
  readonly stripped: ReadonlyMap<Stripped, number>;
}

const lengthMax = 20_000;
const knownMax = 2_000_000;

/** `known` are the texts of evidence and knowledge whose names, addresses and commands are allowed. */
export function cleanProse(text: string, known: readonly string[]): CleanProse {
  const stripped = new Map<Stripped, number>();
  const allowed = known.join('\n').slice(0, knownMax).toLowerCase();
  const take = (kind: Stripped, said: string, instead: string): string => {
    if (isAllowed(allowed, said)) return said;
    stripped.set(kind, (stripped.get(kind) ?? 0) + 1);
    return instead;
  };
  const count = (kind: Stripped, instead: string): string => {
    stripped.set(kind, (stripped.get(kind) ?? 0) + 1);
    return instead;
  };
  const short = text.slice(0, lengthMax).normalize('NFKC').replace(hidden, '');
  const plain = short
    .replace(/```[^\n`]{0,40}\n([^`]{0,4000})```/g, (_all, code: string) => take('command', code.trim(), '[command removed]'))
    .replace(/!?\[([^\]\n]{0,300})\](?:\([^)\n]{0,2000}\)|\[[^\]\n]{0,300}\])/g, (_all, label: string) => count('markup', label))
    .replace(/^ {0,3}\[[^\]\n]{1,300}\]:[^\n]{0,2000}$/gm, () => count('markup', ''))
    .replace(/<\/?[a-z!][^<>\n]{0,1000}>/gi, (tag) => count('markup', isAddressTag(tag) ? tag.slice(1, -1) : ''));
  const lines = plain.split('\n').map((line) => withoutCommands(line, take));
  const said = lines.join('\n').replace(address, (found) => take('address', trimmed(found), '[address removed]'))
    .replace(email, (found) => take('email', found, '[e-mail removed]'))
    .replace(image, (found) => take('image', found, '[image removed]'))
    .replace(install, (all, verb: string, name: string) => take('package', name, '') === '' ? `${verb} [package removed]` : all)
    .replace(host, (found) => isFileName(found) ? found : take('address', found, '[address removed]'));
  return { text: said.replace(/[ \t]{2,}/g, ' ').trim(), stripped };
}

const hidden =
  /[\0-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff0-\ufffb\u{e0000}-\u{e0fff}]/gu;
const address = /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s"'<>`]{1,2000}|\b(?:data|javascript|mailto|vbscript):[^\s"'<>`]{1,2000}|(?<![\w/])\/\/[a-z0-9-]{1,63}\.[^\s"'<>`]{1,500}|\bwww\.[^\s"'<>`]{1,500}/gi;
const email = /(?<![\w.+-])[\w.+-]{1,64}@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,4}/gi;
/** A registry's path with a tag or a digest. */
const image = /(?<![\w./-])(?:[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){0,4}(?::\d{1,5})?\/)?(?:[a-z0-9._-]{1,100}\/){0,4}[a-z][a-z0-9._-]{0,100}(?::(?=[\w.-]*[a-z.])(?!\d\d$)v?\d[\w.-]{0,60}|:latest\b|@sha256:[a-f0-9]{6,64})(?![\w.-])/gi;
const install = /\b((?:npm|pnpm|yarn|pip3?|gem|cargo|go|apt(?:-get)?|yum|dnf|apk|brew|helm|install) (?:install|add|get|i)|install(?:ing)? (?:the )?(?:package|library|chart|plugin)) ([\w@./-]{2,100})/gi;
/** Names of hosts under the zones that anybody can register in. */
const host = /(?<![\w@./-])(?:[a-z0-9-]{1,63}\.){1,4}(?:com|net|org|io|dev|app|xyz|info|biz|sh|me|co|ru|cn|top|site|online|cloud|ai|link|tk|de|uk|evil)(?::\d{1,5})?(?:\/[^\s"'<>`]{0,500})?(?![\w-])/gi;

const programs =
  'kubectl|helm|docker|podman|crictl|ctr|curl|wget|nc|ncat|ssh|scp|rsync|rm|dd|mkfs|chmod|chown|' +
  'kill|killall|pkill|systemctl|service|reboot|shutdown|iptables|sudo|su|bash|sh|zsh|eval|exec|' +
  'python3?|perl|ruby|node|npm|npx|pip3?|apt|apt-get|yum|dnf|apk|brew|aws|gcloud|az|terraform|' +
  'ansible|psql|mysql|mongo|redis-cli|promtool|amtool|git|crontab|export|unset|truncate';
/** A program with something that only a command has, or at the start of a line. */
const atStart = new RegExp(`^\\s*(?:[-*+>]|\\d{1,2}[.)])?\\s*(?:[$#>%] ?)?(?:sudo )?(?:${programs})(?= [^\\s])(?! (?:is|was|are|has|had|can|did|does|and|or|of|to|in|on|at|it|the|restarts?|pods?|errors?|metrics?|latency|requests?|queries|failed|fails|memory|cpu) ?)(?: .*)?$`);
const prompt = /^\s*[$#] \S/;
const inside = new RegExp(`(?<![\\w./-])(?:sudo )?(?:${programs})(?: [\\w./:=@-]{1,200}){0,6}? (?:-{1,2}[a-z][^\\n]{0,500}|[|><&;]{1,2} ?\\S[^\\n]{0,500})`, 'gi');
const verbs = new RegExp('(?<![\\w./-])(?:kubectl|helm|docker|systemctl|git|terraform|aws|gcloud|sudo|curl|wget|ssh|rm|kill|chmod|psql) (?:-?-?[a-z][\\w-]{0,40}|https?:|/)(?: [\\w./:=@{}"\'-]{1,200}){0,12}', 'gi');
const piped = /[^\n.]{0,200}(?:\| ?(?:sh|bash|sudo|xargs|base64)\b|\$\([^)\n]{1,300}\)|&& ?\S|; ?rm )[^\n]{0,300}/g;

type Take = (kind: Stripped, said: string, instead: string) => string;

function withoutCommands(line: string, take: Take): string {
  const shown = line.slice(0, 4000);
  const quoted = shown.replace(/`([^`]{1,500})`/g, (all, code: string) => {
    return looksRun(code) ? take('command', code, '[command removed]') : all;
  });
  if (prompt.test(quoted) || atStart.test(quoted) && !isProse(quoted)) {
    return take('command', quoted.replace(/^\s*(?:[-*+>$#%]|\d{1,2}[.)])\s*/, '').trim(), '[command removed]');
  }
  return [piped, inside, verbs].reduce((rest, pattern) => {
    return rest.replace(pattern, (found) => isSentence(found) ? found : take('command', found.trim(), '[command removed]'));
  }, quoted);
}

/** Programs that are also words, in a line that ends as a sentence and has nothing of a command. */
function isProse(line: string): boolean {
  return /^\s*(?:service|exec|export|kill|git|node|docker|helm|python3?|mysql|mongo|psql|reboot|truncate)\b/i
    .test(line) && /[\p{L}\d)]\.\s*$/u.test(line) && !/ -{1,2}\w|[|;&$`]| \/|\.\.|[a-z]+\/[a-z]/.test(line);
}

function looksRun(code: string): boolean {
  return new RegExp(`^\\s*(?:[$#] )?(?:sudo )?(?:${programs})\\s`).test(code) || /\| ?(?:sh|bash)\b|&&|\$\(/.test(code);
}

/** "kill switch", "service is", "git history": words that a sentence goes on with. */
function isSentence(found: string): boolean {
  return /^\S+ (?:is|was|are|has|had|history|commits?|switch|signals?|and|or|of|to|in|on|at|the|it|itself|daemon|errors?|logs?|says?|shows?|could|would|may|might)\b/i.test(found);
}

/** Word by word in what is known, and not as a part of a longer name. */
function isAllowed(known: string, said: string): boolean {
  const sought = said.toLowerCase();
  for (let at = known.indexOf(sought); sought !== '' && at !== -1; at = known.indexOf(sought, at + 1)) {
    const [before, after] = [known.charAt(at - 1), known.charAt(at + sought.length)];
    if (!/[\w-]/.test(before) && !/[\w-]/.test(after)) return true;
  }
  return false;
}

function trimmed(found: string): string {
  return found.replace(/[).,;:!?\]]+$/, '');
}

function isAddressTag(tag: string): boolean {
  return /^<(?:https?:|mailto:)/i.test(tag);
}

/** `node.js`, `main.go`, `run.sh`: names that end as zones do. */
function isFileName(found: string): boolean {
  return /^[\w-]+\.(?:sh|io|me|co|ai|app)$/i.test(found) && !/^(?:evil|www)/i.test(found) && /\.sh$/i.test(found);
}
