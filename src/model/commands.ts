/** Given a command, returns what is shown in its place: the command itself where it may stay. */
type Take = (command: string) => string;

const programs =
  'kubectl|helm|docker|podman|crictl|ctr|curl|wget|nc|ncat|ssh|scp|rsync|rm|dd|mkfs|chmod|chown|' +
  'kill|killall|pkill|systemctl|service|reboot|shutdown|iptables|sudo|su|bash|sh|zsh|eval|exec|' +
  'python3?|perl|ruby|node|npm|npx|pip3?|apt|apt-get|yum|dnf|apk|brew|aws|gcloud|az|terraform|' +
  'ansible|psql|mysql|mongo|redis-cli|promtool|amtool|git|crontab|export|unset|truncate';
/** Words that go on with a sentence, not a command, that begins with the name of a program. */
const wordsAfter =
  'is|was|are|has|had|can|did|does|and|or|of|to|in|on|at|it|the|restarts?|pods?|errors?|metrics?|' +
  'latency|requests?|queries|failed|fails|memory|cpu';

/** Programs whose names are no words: with any word behind it, such a name begins a command. */
const onlyPrograms =
  'kubectl|helm|docker|podman|crictl|systemctl|git|terraform|aws|gcloud|sudo|curl|wget|ssh|rm|' +
  'kill|chmod|psql|oc|eksctl|gsutil|zpool|zfs|etcdctl|wipefs|lvremove|umount|mkfs|mysqladmin|' +
  'mongosh|redis-cli|rabbitmqctl|argocd|istioctl|nsenter|chroot|iptables|nft|ufw|powershell|' +
  'pwsh|invoke-webrequest|remove-item|iex|pkill|killall5?|mkfs(?:\\.\\w{1,8})?|userdel|' +
  'pg_ctl|pg_dropcluster|nodetool|nmcli|lvchange|vgremove|ifconfig';
/** Programs whose names are also words or letters: what follows tells whether one is meant. */
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
/** With an option, or with what joins it to another. */
const withOption = new RegExp(
  String.raw`(?<![\w./-])(?:sudo )?(?:${programs}|${onlyPrograms}|${alsoProgram})` +
    String.raw`(?: [\w./:=@-]{1,200}){0,6}? ` +
    // "Node a > 90 %" compares.
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
/** Languages of databases. */
const statement = new RegExp(
  '\\b(?:drop (?:database|table|schema|index|user|keyspace)\\b|truncate table\\b|' +
    'flush(?:all|db)\\b|alter (?:table|system)\\b|delete from [\\w."]{1,100} where\\b|' +
    'update [\\w."]{1,100} set [\\w."]{1,100} ?=)[^\\n.;]{0,200};?|' +
    '\\bdb\\.(?:\\w{1,60}\\.)?(?:drop|remove|delete)\\w{0,20}\\([^\\n)]{0,200}\\)?',
  'gi',
);
/** Whatever else readers are told to run: no list has all programs. */
const told = new RegExp(
  '(?<=(?:^|[.!?:;] |\\b(?:please|then|now) )(?:run|type|execute|enter) )' +
    '(?!(?:a|an|the|this|that|these|those|it|them|its|in|on|at|by|to|of|out|for|with|as|from|' +
    'over|into|up|down|again|now|both|all|each|every|some|any|more|less|one|two|time|times|is|' +
    'was|quer(?:y|ies)|metrics|another|queues?|mismatch|checking)\\b)' +
    '[a-z./~][\\w./~-]{0,60}[^\\n]{0,300}',
  'gim',
);
const piped = new RegExp(
  String.raw`(?:[^\n.]|\.(?=\S)){0,200}(?:\| ?(?:sh|bash|sudo|xargs|base64|iex)\b|` +
    // The innermost of several: else each would be looked for from each of the others.
    String.raw`\$\((?:(?!\$\()[^)\n]){1,300}\)|` +
    String.raw`&& ?\S|; ?rm )[^\n]{0,300}`,
  'g',
);
/** Without any of these nothing is piped, and looking for where it began takes long. */
const joining = /[|&;]|\$\(/;
const codeOfProgram = new RegExp(String.raw`^\s*(?:[$#] )?(?:sudo )?(?:${programs})\s`);

const lineMax = 4000;

/** The line without its commands, whether they are all of it, in backticks, or in a sentence. */
export function withoutCommands(line: string, take: Take): string {
  const shown = line.slice(0, lineMax).replace(/`([^`]{1,500})`/g, (all, code: string) => {
    return isCode(code) ? take(code) : all;
  });
  if (prompt.test(shown) || atStart.test(shown) && !isProse(shown) && !isNoun(shown.trim())) {
    return take(shown.replace(/^\s*(?:[-*+>$#%]|\d{1,2}[.)])\s*/, '').trim());
  }
  // What is joined to a shell takes the words before it along: they may begin a sentence.
  const single = !joining.test(shown) ? shown
    : shown.replace(piped, (found) => take(found.trim()));
  return [withOption, withVerb, statement, told].reduce((rest, pattern) => {
    return rest.replace(pattern, (found) => (isSentence(found) ? found : take(found.trim())));
  }, single);
}

function isCode(code: string): boolean {
  return codeOfProgram.test(code) || /\| ?(?:sh|bash)\b|&&|\$\(/.test(code);
}

const alsoWords =
  /^\s*(?:service|exec|export|kill|git|node|docker|helm|python3?|mysql|mongo|psql|reboot)\b/i;

/** Programs that are also words, in a line that ends as a sentence and has nothing of a command. */
function isProse(line: string): boolean {
  if (!alsoWords.test(line) || !/[\p{L}\d)]\.\s*$/u.test(line)) return false;
  return !/ -{1,2}\w|[|;&$`]| \/|\.\.|[a-z]+\/[a-z]/.test(line);
}

const sentence = new RegExp(
  String.raw`^\S+ (?:is|was|are|has|had|history|commits?|switch|signals?|and|or|of|to|in|on|at|` +
    String.raw`the|it|itself|daemon|errors?|logs?|says?|shows?|could|would|may|might)\b`,
  'i',
);

/** A name of a program with what no command has behind it: "ssh connections fell". */
const nounBehind = new RegExp(
  '^(?:[^\\s]+ (?:connections|logins|sessions|probes|requests|containers|images|' +
    'reports?|reported|fails?|failed|restarted|crashed)|' +
    '[^\\s]+ \\w+ (?:at \\d|of \\w|shows?\\b|fail(?:s|ed)\\b|precede[sd]\\b))',
  'i',
);

/** "kill switch", "service is", "git history": the words are part of a sentence. */
function isSentence(found: string): boolean {
  return sentence.test(found) || isNoun(found);
}

function isNoun(found: string): boolean {
  return nounBehind.test(found) && !/ -|[|><&;$`\n]/.test(found);
}
