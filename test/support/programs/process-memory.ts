import { readFileSync } from 'node:fs';

/** What the process has had resident at most since its start, in MB; Linux only. */
export function peakMemoryMb(pid: number): number {
  return memoryMb(pid, 'VmHWM');
}

/** What the process has resident now, in MB; Linux only. */
export function residentMemoryMb(pid: number): number {
  return memoryMb(pid, 'VmRSS');
}

function memoryMb(pid: number, field: 'VmHWM' | 'VmRSS'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const kilobytes = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1];
  if (kilobytes === undefined) throw new Error(`Process ${pid} tells no ${field}`);
  return Number(kilobytes) / 1024;
}
