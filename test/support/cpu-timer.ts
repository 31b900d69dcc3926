/**
 * Starts measuring the processor time of this process, in milliseconds. Unlike wall time it does
 * not depend on what else the machine does.
 */
export function cpuTimer(): () => number {
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
}
