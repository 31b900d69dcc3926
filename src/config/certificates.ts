import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';

const fileSizeMax = 1024 * 1024;
const certificatePattern = /-----BEGIN CERTIFICATE-----[^-]*(-----END CERTIFICATE-----)?/g;

/** The PEM text of a file of certificates. The message of an error completes "must be …". */
export function readCertificates(file: string): string {
  const pem = contentOf(file);
  if (pem.length > fileSizeMax) throw new Error('a file of certificates of at most 1 MiB');
  const certificates = pem.match(certificatePattern) ?? [];
  if (certificates.length === 0 || !certificates.every(isCertificate)) {
    throw new Error('a PEM file of certificates');
  }
  return pem;
}

/** TLS would take a broken one for the end of the file, and say nothing. */
function isCertificate(pem: string): boolean {
  try {
    new X509Certificate(pem);
    return true;
  } catch {
    return false;
  }
}

/**
 * The name of a PEM file, once its content was read: an empty one would pass for none. The message
 * of an error completes "must be …".
 */
export function pemFile(file: string): string {
  if (contentOf(file).trim() === '') throw new Error('a PEM file that is not empty');
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
