/** What a line says, without what stands around it. */
export interface LogMessage {
  /** One line of plain text; empty where the line says nothing. */
  readonly message: string;
  readonly level: LogLevel | null;
}

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;
export type LogLevel = (typeof logLevels)[number];

/** The message of one log entry, which may have several lines. */
export function logMessageOf(text: string): LogMessage {
  return { message: text.replace(/[\p{C}\s]+/gu, ' ').trim(), level: null };
}
