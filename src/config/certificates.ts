import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';

const fileSizeMax = 1024 * 1024;
const certificatePattern = /-----BEGIN CERTIFICATE-----[^-]*(-----END CERTIFICATE-----)?/g;

/** Reads a PEM file of certificates. Throws an Error whose message completes "must be …". */
export function readCertificates(file: string): string {
  const pem = contentOf(file);
  if (pem.length > fileSizeMax) throw new Error('a file of certificates of at most 1 MiB');
  const certificates = pem.match(certificatePattern) ?? [];
  if (certificates.length === 0 || !certificates.every(isCertificate)) {
    throw new Error('a PEM file of certificates');
  }
  return pem;
}

/** TLS takes a broken certificate for the end of the file, without an error. */
function isCertificate(pem: string): boolean {
  try {
    new X509Certificate(pem);
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns the path of a PEM file after checking that it can be read and is not empty: TLS would
 * treat an empty one as absent. Throws an Error whose message completes "must be …".
 */
export function pemFile(file: string): string {
  if (contentOf(file).trim() === '') throw new Error('a PEM file that is not empty');
  return file;
}

/** Why https cannot be served with this certificate and key; null when it can. */
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
