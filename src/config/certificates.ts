import { readFileSync } from 'node:fs';

const fileSizeMax = 1024 * 1024;

/** The PEM text of a file of certificates. The message of an error completes "must be …". */
export function readCertificates(file: string): string {
  const pem = contentOf(file);
  if (pem.length > fileSizeMax) throw new Error('a file of certificates of at most 1 MiB');
  if (!pem.includes('-----BEGIN CERTIFICATE-----')) throw new Error('a PEM file of certificates');
  return pem;
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    throw new Error(`a file that can be read (${code})`);
  }
}
