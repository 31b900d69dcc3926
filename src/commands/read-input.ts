import { readFileSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';

/** The content of the file, or why it cannot be read; `-` is standard input. */
export async function readInput(file: string): Promise<Buffer | string> {
  try {
    return file === '-' ? await buffer(process.stdin) : readFileSync(file);
  } catch (error) {
    return `Cannot read ${file}: ${(error as Error).message}`;
  }
}
