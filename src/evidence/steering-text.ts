/** How much of a text is checked, in UTF-16 units. */
const textMax = 20_000;

/**
 * Prompt injection: orders to forget instructions, roles to play, markers of turns and fences, and
 * text that only a model sees, worded as in published attacks. Repetitions in the patterns are
 * bounded, so that matching takes linear time.
 */
const patterns: readonly RegExp[] = [
  new RegExp(
    '\\b(?:ignore|disregard|forget|override|bypass)\\b[^.\\n]{0,40}\\b(?:previous|prior|above|' +
      'earlier|preceding|your)\\b[^.\\n]{0,30}\\b(?:instructions?|prompts?|rules|messages?|' +
      'orders|guidelines|context)\\b', 'i',
  ),
  /\b(?:ignore|disregard|forget|override)\b[^.\n]{0,40}\b(?:instructions|prompts?)\b/i,
  /\bignor(?:iere?|ez|a|e)\b[^.\n]{0,40}\b(?:anweisungen|instructions|instrucciones|istruzioni)\b/i,
  new RegExp(
    '\\b(?:you are|act as|pretend to be|behave as|roleplay as)\\b[^.\\n]{0,40}\\b(?:assistant|' +
      'language model|ai|chatbot|chatgpt|gpt|claude|gemini)\\b', 'i',
  ),
  /\byou are now (?:an?|the|in|my)\b|\bfrom now on,? you (?:are|will|must)\b/i,
  /\byour (?:new|real|actual|only) (?:instructions?|task|goal|role) (?:is|are)\b/i,
  /\b(?:reveal|print|show|repeat|output)\b[^.\n]{0,30}\b(?:system prompt|your instructions)\b/i,
  /\b(?:respond|answer|reply) (?:only|exactly) with\b/i,
  /\b(?:do not|don't|never) (?:mention|reveal|cite) (?:this|that|these|the above)\b/i,
  new RegExp(
    '\\b(?:report|classify|conclude)\\b[^.\\n]{0,40}\\b(?:as|is)\\b[^.\\n]{0,10}\\b' +
      '(?:not[ _]an[ _]issue|false positive|benign|harmless)\\b', 'i',
  ),
  // Markers of turns that models are trained on.
  /<\|(?:im_start|im_end|system|user|assistant|endoftext|eot_id|start_header_id)\|/i,
  /\[\/?INST\]|<<\/?SYS>>|<\/?(?:system|assistant|instructions)>/,
  /["']role["']\s{0,3}:\s{0,3}["'](?:system|assistant|developer)["']/i,
  new RegExp(
    '(?:^|\\n)[ \\t#*]{0,8}(?:system|assistant|developer)[ \\t*]{0,4}:[ \\t*]{0,4}' +
      '(?:you|ignore|please|from now|new|always|never|do not)\\b', 'i',
  ),
  // Markers of fences.
  /<<(?:data|end) /i,
  /\bEND OF (?:THE )?(?:UNTRUSTED )?(?:DATA|CONTEXT|INPUT|PROMPT|INSTRUCTIONS)\b/,
];

/** Whether the text looks as if it were meant for a model rather than for a person. */
export function isSteering(text: string): boolean {
  const read = text.slice(0, textMax);
  const plain = read.normalize('NFKC').replace(invisible, '');
  return patterns.some((pattern) => pattern.test(plain)) || smuggled.test(read);
}

/** Invisible tag characters, except in flag emoji. */
const smuggled = /(?:^|[^\u{1f3f4}\u{e0020}-\u{e007f}])[\u{e0020}-\u{e007f}]{4}/u;
/** Characters that split a word for a pattern but not for a model. */
const invisible = /[\u00ad\u034f\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]/g;
