/** What some messages have in common, and which they are. */
export interface LogTemplate {
  readonly pattern: string;
  /** Places in the list of messages. */
  readonly members: readonly number[];
}

/** The patterns of messages; a message that has none is in none. */
export function logTemplatesOf(messages: readonly string[]): readonly LogTemplate[] {
  const members = new Map<string, number[]>();
  for (const [index, message] of messages.entries()) {
    const pattern = message.replace(/\d+/g, '<*>').slice(0, 300);
    const group = members.get(pattern);
    if (group === undefined) members.set(pattern, [index]);
    else group.push(index);
  }
  return Array.from(members, ([pattern, all]) => ({ pattern, members: all }));
}
