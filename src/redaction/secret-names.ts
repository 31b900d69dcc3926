/** The ends of names that hold a secret, as sources of regular expressions. */

/** Names that stand before a secret wherever they occur. */
export const strongNames: string =
  'passwor[dt]|passwd|passphrase|passcode|pword|psw|pwd|secret[_-]?key[_-]?base|' +
  '(?:api|access|secret|private|account|encryption|decryption|signing|validation|master|' +
  'integration|subscription|license|app(?:lication)?|auth|insert|hmac|storage|fernet|cipher)' +
  '[_.-]?key|key[_-]data|unseal[_ -]?key(?: \\d{1,2})?|oauth_signature|client[_-]?secret|' +
  '(?:auth|access|refresh|id|session)[_-]?token|connection[_-]?string|jsessionid|phpsessid|' +
  'snmp[_-]?community|community[_-]?string|' +
  'contrase[nñ]a|kennwort|mot[_-]?de[_-]?passe|senha|wachtwoord';
/** Also names of labels: `kube_secret_info{secret="db"}` holds no secret. */
export const weakNames: string = 'secret|token|cred(?:ential)?s?|session[_-]?id|dsn';

export const secretNames: string = `${strongNames}|${weakNames}`;

const isStrong = new RegExp(
  `(?:^|[_.-])(?:${strongNames}|pass)$|(?<!no)(?:passwor[dt]|passwd|passphrase)$`, 'i',
);

/** Whether a member or label of this name holds a secret. */
export function isSecretName(name: string): boolean {
  return isStrong.test(name.slice(-80).replace(/([a-z\d])([A-Z])/g, '$1_$2'));
}
