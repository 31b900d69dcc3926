/** Returns the text that replaces a command: the command itself if it may stay. */
type Screen = (command: string) => string;

/** Programs whose names are not words: followed by any word, the name starts a command. */
const programs =
  'kubectl|helm|docker|podman|crictl|ctr|systemctl|git|terraform|aws|gcloud|sudo|curl|wget|ncat|' +
  'ssh|rm|kill|killall5?|pkill|chmod|chown|psql|mysql|mysqladmin|mongo(?:sh)?|oc|eksctl|gsutil|' +
  'zpool|zfs|etcdctl|wipefs|lvremove|lvchange|vgremove|umount|mkfs(?:\\.\\w{1,8})?|redis-cli|' +
  'rabbitmqctl|argocd|istioctl|nsenter|chroot|iptables|nft|ufw|powershell|pwsh|iex|' +
  'invoke-webrequest|remove-item|userdel|pg_ctl|pg_dropcluster|nodetool|nmcli|ifconfig|bash|zsh|' +
  'npx|ansible|promtool|amtool|crontab|rsync';
/** Programs whose names are also words or letters: only a verb after them makes a command. */
const words =
  'k|vault|consul|nomad|flux|ceph|service|az|zk|mc|find|mv|cp|nc|dd|scp|su|sh|eval|exec|export|' +
  'truncate|node|perl|ruby|python3?|npm|pip3?|apt|apt-get|yum|dnf|apk|brew|reboot|shutdown';
const verbs =
  '(?:delete|del|rm|remove|stop|kill|exec|scale|drain|cordon|apply|edit|patch|destroy|purge|' +
  'write|put|seal|kv|job|operator|rollout|restart|suspend)';

const prompt = /^\s*[$#] \S/;
/** A program with an option, a pipe, a redirection or the like. */
const withOption = new RegExp(
  String.raw`(?<![\w./-])(?:${programs}|${words})(?: [\w./:=@-]{1,200}){0,6}? ` +
    // "Node a > 90 %" is a comparison.
    String.raw`(?:-{1,2}[a-z\d]|[|&;]{1,2} ?\S|[<>]{1,2} ?(?!\d)\S)[^\n]{0,500}`,
  'gi',
);
const withVerb = new RegExp(
  `(?<![\\w./-])(?:(?:${programs}) (?:-?-?[a-z][\\w-]{0,40}|-\\d|https?:|/)|` +
    `(?:kill|chmod) (?=\\d)|dd (?=[io]f=)|ip link (?=set |del)|(?:scp|rsync) (?=[^\\s.]*[/:@])|` +
    `export (?=\\w+=)|(?:reboot|shutdown) (?=now\\b)|` +
    `service [\\w.-]+ (?=(?:stop|start|restart)\\b)|(?:${words}) ${verbs}\\b|` +
    `(?:mv|cp|cat|find|rm|sh|exec|node|perl|ruby|python3?) (?=[/~.*]|\\w+\\.\\w))` +
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
/** Anything else that a text asks readers to run, as no list of programs is complete. */
const toRun = new RegExp(
  '(?<=(?:^|[.!?:;] |\\b(?:please|then|now) )(?:run|type|execute|enter) )' +
    '(?!(?:a|an|the|this|that|these|those|it|them|its|in|on|at|by|to|of|out|for|with|as|from|' +
    'over|into|up|down|again|now|both|all|each|every|some|any|more|less|one|two|time|times|is|' +
    'was|quer(?:y|ies)|metrics|another|queues?|mismatch|checking)\\b)' +
    '[a-z./~`][\\w./~-]{0,60}[^\\n]{0,300}',
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

/** The rest of a longer line is dropped, in UTF-16 units. */
const lineMax = 4000;

/** Replaces the commands in a line: within a sentence, or the whole line. */
export function withoutCommands(line: string, screen: Screen): string {
  const shown = line.slice(0, lineMax);
  if (prompt.test(shown)) return screen(shown.replace(/^\s*[$#]\s*/, '').trim());
  // A pipe into a shell takes the words before it along, even if they start a sentence.
  const single = joining.test(shown)
    ? shown.replace(piped, (found) => screen(found.trim())) : shown;
  return [withOption, withVerb, statement, toRun].reduce((rest, pattern) => {
    return rest.replace(pattern, (found) => (sentence.test(found) ? found : screen(found.trim())));
  }, single);
}

/** Words behind a program's name that no command has: "kill switch", "ssh connections fell". */
const sentence = new RegExp(
  '^\\S+ (?:(?:is|was|are|has|had|can|did|does|could|would|may|might|and|or|of|to|in|on|at|the|' +
    'it|itself|history|commits?|switch|signals?|daemon|errors?|logs?|says?|shows?|restarts?|' +
    'restarted|pods?|metrics?|latency|queries|memory|cpu|connections|logins|sessions|probes|' +
    'requests|containers|images|reports?|reported|fails?|failed|crashed)\\b' +
    '(?!.*(?: -|[|><&;$]))|' +
    '\\w+ (?:at \\d|of \\w|shows?\\b|fail(?:s|ed)\\b|precede[sd]\\b))',
  'i',
);
