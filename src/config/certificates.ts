import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';

const fileSizeMax = 1024 * 1024;

/** The PEM text of a file of certificates. The message of an error completes "must be …". */
export function readCertificates(file: string): string {
  const pem = contentOf(file);
  if (pem.length > fileSizeMax) throw new Error('a file of certificates of at most 1 MiB');
  if (!pem.includes('-----BEGIN CERTIFICATE-----')) throw new Error('a PEM file of certificates');
  return pem;
}

/** The name of a file, once its content was read. The message of an error completes "must be …". */
export function readableFile(file: string): string {
  contentOf(file);
  return file;
}

/** Why https cannot be served with a certificate and a key, both readable; null when it can. */
export function pairProblem(certFile: string, keyFile: string): string | null {
  try {
    createSecureContext({ cert: contentOf(certFile), key: contentOf(keyFile) });
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    throw new Error(`a file that can be read (${code})`);
  }
}
