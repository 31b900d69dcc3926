/** Returns the text that replaces a command: the command itself if it may stay. */
type Screen = (command: string) => string;

const programs =
  'kubectl|helm|docker|podman|crictl|ctr|curl|wget|nc|ncat|ssh|scp|rsync|rm|dd|mkfs|chmod|chown|' +
  'kill|killall|pkill|systemctl|service|reboot|shutdown|iptables|sudo|su|bash|sh|zsh|eval|exec|' +
  'python3?|perl|ruby|node|npm|npx|pip3?|apt|apt-get|yum|dnf|apk|brew|aws|gcloud|az|terraform|' +
  'ansible|psql|mysql|mongo|redis-cli|promtool|amtool|git|crontab|export|unset|truncate';
/** After the name of a program, these words continue a sentence, not a command. */
const wordsAfter =
  'is|was|are|has|had|can|did|does|and|or|of|to|in|on|at|it|the|restarts?|pods?|errors?|metrics?|' +
  'latency|requests?|queries|failed|fails|memory|cpu';

/** Programs whose names are not words: followed by any word, the name starts a command. */
const onlyPrograms =
  'kubectl|helm|docker|podman|crictl|systemctl|git|terraform|aws|gcloud|sudo|curl|wget|ssh|rm|' +
  'kill|chmod|psql|oc|eksctl|gsutil|zpool|zfs|etcdctl|wipefs|lvremove|umount|mkfs|mysqladmin|' +
  'mongosh|redis-cli|rabbitmqctl|argocd|istioctl|nsenter|chroot|iptables|nft|ufw|powershell|' +
  'pwsh|invoke-webrequest|remove-item|iex|pkill|killall5?|mkfs(?:\\.\\w{1,8})?|userdel|' +
  'pg_ctl|pg_dropcluster|nodetool|nmcli|lvchange|vgremove|ifconfig';
/** Programs whose names are also words or letters: only a verb after them makes a command. */
const wordPrograms = '(?:k|vault|consul|nomad|flux|ceph|service|az|zk|mc)';
const alsoProgram = 'find|mv|cp|k|consul|vault|nomad';
const verbs =
  '(?:delete|del|rm|remove|stop|kill|exec|scale|drain|cordon|apply|edit|patch|destroy|purge|' +
  'write|put|seal|kv|job|operator|rollout|restart|suspend)';

const bullet = String.raw`(?:[-*+>]|\d{1,2}[.)])`;
const atStart = new RegExp(
  String.raw`^\s*(?:${bullet}\s*)?(?:[$#>%] ?)?(?:sudo )?(?:${programs})(?= \S)` +
    `(?! (?:${wordsAfter}) ?)(?: .*)?$`,
);
const prompt = /^\s*[$#] \S/;
/** A program with an option, a pipe, a redirection or the like. */
const withOption = new RegExp(
  String.raw`(?<![\w./-])(?:sudo )?(?:${programs}|${onlyPrograms}|${alsoProgram})` +
    String.raw`(?: [\w./:=@-]{1,200}){0,6}? ` +
    // "Node a > 90 %" is a comparison.
    String.raw`(?:-{1,2}[a-z\d]|[|&;]{1,2} ?\S|[<>]{1,2} ?(?!\d)\S)[^\n]{0,500}`,
  'gi',
);
const withVerb = new RegExp(
  `(?<![\\w./-])(?:(?:${onlyPrograms}) (?:-?-?[a-z][\\w-]{0,40}|-\\d|https?:|/)|` +
    `dd (?=[io]f=)|ip link (?=set |del)|(?:scp|rsync) (?=[^\\s.]*[/:@])|` +
    `${wordPrograms} ${verbs}\\b|(?:mv|cp|cat|find|rm) (?=[/~.*]))` +
    '(?: ?[\\w./:=@{}"\'*~-]{1,200}){0,12}',
  'gi',
);
/** Statements of database languages. */
const statement = new RegExp(
  '\\b(?:drop (?:database|table|schema|index|user|keyspace)\\b|truncate table\\b|' +
    'flush(?:all|db)\\b|alter (?:table|system)\\b|delete from [\\w."]{1,100} where\\b|' +
    'update [\\w."]{1,100} set [\\w."]{1,100} ?=)[^\\n.;]{0,200};?|' +
    '\\bdb\\.(?:\\w{1,60}\\.)?(?:drop|remove|delete)\\w{0,20}\\([^\\n)]{0,200}\\)?',
  'gi',
);
/** Anything else that readers are told to run, as no list of programs is complete. */
const toRun = new RegExp(
  '(?<=(?:^|[.!?:;] |\\b(?:please|then|now) )(?:run|type|execute|enter) )' +
    '(?!(?:a|an|the|this|that|these|those|it|them|its|in|on|at|by|to|of|out|for|with|as|from|' +
    'over|into|up|down|again|now|both|all|each|every|some|any|more|less|one|two|time|times|is|' +
    'was|quer(?:y|ies)|metrics|another|queues?|mismatch|checking)\\b)' +
    '[a-z./~][\\w./~-]{0,60}[^\\n]{0,300}',
  'gim',
);
const piped = new RegExp(
  String.raw`(?:[^\n.]|\.(?=\S)){0,200}(?:\| ?(?:sh|bash|sudo|xargs|base64|iex)\b|` +
    // Only the innermost of nested ones; otherwise the time would be quadratic.
    String.raw`\$\((?:(?!\$\()[^)\n]){1,300}\)|` +
    String.raw`&& ?\S|; ?rm )[^\n]{0,300}`,
  'g',
);
/** Without one of these nothing is piped, and the costly pattern above is skipped. */
const joining = /[|&;]|\$\(/;
const codeOfProgram = new RegExp(String.raw`^\s*(?:[$#] )?(?:sudo )?(?:${programs})\s`);

const lineMax = 4000;

/** Replaces the commands in a line: in backticks, within a sentence, or the whole line. */
export function withoutCommands(line: string, screen: Screen): string {
  const shown = line.slice(0, lineMax).replace(/`([^`]{1,500})`/g, (all, code: string) => {
    return isCode(code) ? screen(code) : all;
  });
  if (prompt.test(shown) || atStart.test(shown) && !isProse(shown) && !isNoun(shown.trim())) {
    return screen(shown.replace(/^\s*(?:[-*+>$#%]|\d{1,2}[.)])\s*/, '').trim());
  }
  // A pipe into a shell takes the words before it along, even if they start a sentence.
  const single = !joining.test(shown) ? shown
    : shown.replace(piped, (found) => screen(found.trim()));
  return [withOption, withVerb, statement, toRun].reduce((rest, pattern) => {
    return rest.replace(pattern, (found) => (isSentence(found) ? found : screen(found.trim())));
  }, single);
}

function isCode(code: string): boolean {
  return codeOfProgram.test(code) || /\| ?(?:sh|bash)\b|&&|\$\(/.test(code);
}

const alsoWords =
  /^\s*(?:service|exec|export|kill|git|node|docker|helm|python3?|mysql|mongo|psql|reboot)\b/i;

/** Whether a line that starts with such a word ends like a sentence and has no shell syntax. */
function isProse(line: string): boolean {
  if (!alsoWords.test(line) || !/[\p{L}\d)]\.\s*$/u.test(line)) return false;
  return !/ -{1,2}\w|[|;&$`]| \/|\.\.|[a-z]+\/[a-z]/.test(line);
}

const sentence = new RegExp(
  String.raw`^\S+ (?:is|was|are|has|had|history|commits?|switch|signals?|and|or|of|to|in|on|at|` +
    String.raw`the|it|itself|daemon|errors?|logs?|says?|shows?|could|would|may|might)\b`,
  'i',
);

/** A program's name in a phrase that no command has: "ssh connections fell". */
const nounBehind = new RegExp(
  '^(?:[^\\s]+ (?:connections|logins|sessions|probes|requests|containers|images|' +
    'reports?|reported|fails?|failed|restarted|crashed)|' +
    '[^\\s]+ \\w+ (?:at \\d|of \\w|shows?\\b|fail(?:s|ed)\\b|precede[sd]\\b))',
  'i',
);

/** Whether the words are part of a sentence, as "kill switch", "service is" or "git history". */
function isSentence(found: string): boolean {
  return sentence.test(found) || isNoun(found);
}

function isNoun(found: string): boolean {
  return nounBehind.test(found) && !/ -|[|><&;$`\n]/.test(found);
}
