import { readFileSync } from 'node:fs';

/** The process's peak resident memory, in MiB; Linux only. */
export function peakMemoryMb(pid: number): number {
  return memoryMb(pid, 'VmHWM');
}

/** The process's resident memory, in MiB; Linux only. */
export function residentMemoryMb(pid: number): number {
  return memoryMb(pid, 'VmRSS');
}

function memoryMb(pid: number, field: 'VmHWM' | 'VmRSS'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const kilobytes = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1];
  if (kilobytes === undefined) throw new Error(`/proc/${pid}/status has no ${field}`);
  return Number(kilobytes) / 1024;
}
