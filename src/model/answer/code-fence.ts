/** The text without a code fence at its start and at its end. */
export function unfenced(text: string): string {
  const begun = text.trim().replace(/^```(?:json)?/, '');
  return (begun.endsWith('```') ? begun.slice(0, -3) : begun).trim();
}
