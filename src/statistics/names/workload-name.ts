/**
 * The letters and digits Kubernetes makes names from: no vowels and nothing that looks alike
 * (kubernetes/apimachinery: pkg/util/rand).
 */
const random = '[bcdfghjklmnpqrstvwxz2456789]';

/** What pods of workloads add to its name, as a pattern that RE2 takes as well. */
export const podEnding: string =
  `(-(${random}{5,10}|[0-9]{8,10}))?-${random}{5}|-[0-9]{1,4}`;

/** Deployment: the hash of the replica set, then five random letters. */
const deploymentPod = new RegExp(`^(.+)-${random}{5,10}-${random}{5}$`);
/** Replica set or daemon set pods, and those of jobs: five random letters. */
const ownedPod = new RegExp(`^(.+)-${random}{5}$`);
/** A scheduled job adds the time it was due, in minutes or seconds since the epoch. */
const scheduledJob = /^(.+)-\d{8,10}$/;
const statefulSetPod = /^(.+)-\d{1,4}$/;

/**
 * The workload a pod's name was made from: `checkout-578fcf4766-9csqn`, `fluentd-x7k2p`, `orders-0`
 * and `backup-28123456-abcde` give `checkout`, `fluentd`, `orders` and `backup`. A name that
 * follows none of these is given back as it is.
 */
export function workloadOfPod(pod: string): string {
  const fromDeployment = deploymentPod.exec(pod)?.[1];
  // Words without vowels are rare, two of them in a row without a digit more so, but they exist.
  if (fromDeployment !== undefined && /\d/.test(pod.slice(fromDeployment.length))) {
    return fromDeployment;
  }
  const owned = ownedPod.exec(pod);
  if (owned?.[1] !== undefined && looksRandom(pod.slice(owned[1].length + 1))) {
    return scheduledJob.exec(owned[1])?.[1] ?? owned[1];
  }
  return scheduledJob.exec(pod)?.[1] ?? statefulSetPod.exec(pod)?.[1] ?? pod;
}

/** Without a vowel most words are not words; with a digit among letters none are. */
function looksRandom(suffix: string): boolean {
  return /\d/.test(suffix) ? /[a-z]/.test(suffix) : !/^(mysql|nginx|proxy|https)$/.test(suffix);
}
