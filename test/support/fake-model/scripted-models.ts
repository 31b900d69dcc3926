/** Scripts for the fake model that behave as models do, well and badly. */
import type { Heard, Script } from './heard.ts';

/** Whether the request asks for the final answer: in a required form, or as there are no tools. */
export function isLast({ tools, schema }: Heard): boolean {
  return tools.length === 0 || schema !== null;
}

export function lastText({ turns }: Heard): string {
  const last = turns.at(-1);
  return last === undefined ? '' : last.text;
}

export function resultsIn({ turns }: Heard): number {
  return turns.filter(({ role }) => role === 'tool').length;
}

interface Part {
  /** The tool call it makes; by default the first tool on offer, without arguments. */
  readonly call?: { readonly name: string; readonly arguments: unknown };
  /** The final answer. */
  readonly answer: string;
}

const callOf = ({ call }: Part, { tools }: Heard): { name: string; arguments: unknown } =>
  call ?? { name: tools[0] ?? 'none', arguments: {} };

/** Calls a tool once, then answers. */
export function honest(part: Part): Script {
  return (heard) => isLast(heard) || resultsIn(heard) > 0
    ? { text: part.answer }
    : { calls: [callOf(part, heard)] };
}

/** Makes a new tool call in every round, as long as it may. */
export function greedy(part: Part): Script {
  return (heard, index) => isLast(heard)
    ? { text: part.answer }
    : { calls: [{ ...callOf(part, heard), arguments: { query: `up + ${index}` } }] };
}

/** Makes the same tool call in every round, as long as it may. */
export function parrot(part: Part): Script {
  return (heard) => isLast(heard) ? { text: part.answer } : { calls: [callOf(part, heard)] };
}

export function mute(): Script {
  return () => ({});
}

/** Its answer is cut off by the token limit. */
export function overLong(): Script {
  return ({ maxOutput }) => (
    { text: '{"summary": "x'.padEnd(maxOutput, ' and so on'), stop: 'length' }
  );
}

/** Writes its tool call as text, as small models do. */
export function callsAsText(part: Part): Script {
  return (heard) => isLast(heard)
    ? { text: part.answer }
    : { text: `<tool_call>${JSON.stringify(callOf(part, heard))}</tool_call>` };
}

export function hanging(): Script {
  return () => ({ hangs: true });
}

/** Sends arguments that are invalid JSON; only for interfaces that send them as text. */
export function sloppy(part: Part): Script {
  return (heard) => isLast(heard) || resultsIn(heard) > 0
    ? { text: part.answer }
    : { calls: [{ ...callOf(part, heard), arguments: '{"query": ' }] };
}
