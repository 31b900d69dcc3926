import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');

/** Collects all of it now, as happens at some time in every process that lives long enough. */
export const collectGarbage = runInNewContext('gc') as () => void;
