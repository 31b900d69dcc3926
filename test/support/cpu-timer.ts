/**
 * Starts to measure what this process takes of the processor, in milliseconds: unlike the time on
 * the wall it tells the same of a machine that has other work to do.
 */
export function cpuTimer(): () => number {
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
}
