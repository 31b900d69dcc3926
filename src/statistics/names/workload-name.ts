/**
 * The characters of Kubernetes' random suffixes: no vowels and no lookalikes
 * (kubernetes/apimachinery: pkg/util/rand).
 */
const random = '[bcdfghjklmnpqrstvwxz2456789]';

/** What pods append to their workload's name, as a pattern that is valid in RE2 too. */
export const podEnding: string = `(-(${random}{5,10}|[0-9]{8,10}))?-${random}{5}|-[0-9]{1,4}`;

/** Pods of a deployment: the replica set's hash, then five random characters. */
const deploymentPod = new RegExp(`^(.+)-${random}{5,10}-${random}{5}$`);
/** Pods of replica sets, daemon sets and jobs: five random characters. */
const ownedPod = new RegExp(`^(.+)-${random}{5}$`);
/** Jobs of a CronJob: the scheduled time in minutes or seconds since the epoch. */
const scheduledJob = /^(.+)-\d{8,10}$/;
const statefulSetPod = /^(.+)-\d{1,4}$/;

/**
 * The workload a pod's name was made from: `checkout-578fcf4766-9csqn`, `fluentd-x7k2p`, `orders-0`
 * and `backup-28123456-x7k2p` give `checkout`, `fluentd`, `orders` and `backup`. A name that
 * matches none of these forms is returned unchanged.
 */
export function workloadOfPod(pod: string): string {
  const fromDeployment = deploymentPod.exec(pod)?.[1];
  // Two words without vowels or digits in a row are rare, but exist.
  if (fromDeployment !== undefined && /\d/.test(pod.slice(fromDeployment.length))) {
    return fromDeployment;
  }
  const owned = ownedPod.exec(pod);
  if (owned?.[1] !== undefined && looksRandom(pod.slice(owned[1].length + 1))) {
    return scheduledJob.exec(owned[1])?.[1] ?? owned[1];
  }
  return scheduledJob.exec(pod)?.[1] ?? statefulSetPod.exec(pod)?.[1] ?? pod;
}

/** Five characters without vowels are hardly ever a word, and with a digit among letters never. */
function looksRandom(suffix: string): boolean {
  return /\d/.test(suffix) ? /[a-z]/.test(suffix) : !/^(mysql|nginx|proxy|https)$/.test(suffix);
}
