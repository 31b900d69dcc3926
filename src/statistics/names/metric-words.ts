/** No real name is longer; the limit bounds the time that patterns take. */
const lengthMax = 200;

/**
 * A metric's name as lower-case words joined by underscores, so that one table serves Prometheus
 * names, dotted ones and CamelCase: `NetworkReceiveBytes`, `http.server.duration` and
 * `CpuUsageRate(%)` become `network_receive_bytes`, `http_server_duration` and
 * `cpu_usage_rate_percent`.
 */
export function metricWords(name: string): string {
  return name
    .slice(0, lengthMax)
    .replaceAll('%', ' percent')
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replace(/([0-9])([A-Z][a-z])/g, '$1_$2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .toLowerCase();
}

/** A pattern that matches any of the alternatives as whole words of {@linkcode metricWords}. */
export function words(alternatives: string): RegExp {
  return new RegExp(`(?:^|_)(?:${alternatives.replace(/\s+/g, '|')})(?=_|$)`);
}
