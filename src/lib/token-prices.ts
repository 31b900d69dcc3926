/** Prices of a million tokens; `cached` is for input that the provider had in its cache. */
export interface TokenPrices {
  readonly input: number;
  readonly cached: number;
  readonly output: number;
}

/** What tokens cost; the cached ones are part of the input. */
export function tokenCost(
  { input, cached, output }: Readonly<Record<keyof TokenPrices, number>>,
  prices: TokenPrices,
): number {
  const sum = (input - cached) * prices.input + cached * prices.cached + output * prices.output;
  return sum / 1_000_000;
}
