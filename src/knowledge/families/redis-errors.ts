import {
  ifSome, labelMatches, metrics, names, shell, type Cause, type Family,
} from '../family.ts';
import { ofTarget } from '../usual-checks.ts';
import { cli, redis } from './data-stores-redis.ts';

/** What one kind of answer of Redis says about why it refuses a command. */
function refusal(err: string, text: Pick<Cause, 'id' | 'cause' | 'mechanism'>): Cause {
  return {
    ...text,
    test: ifSome(`sum(rate(redis_errors_total{${ofTarget},err=~"${err}"}[2m]))`),
    isDirect: true,
    when: labelMatches(['err'], new RegExp(`^(?:${err})$`, 'u')),
  };
}

export const redisErrors: Family = {
  id: 'redis-errors',
  names: names(`${redis}(?:\\w*(?:errors?(?:high|rate)?|commands?(?:fail\\w*|rejected)
    |rejectedcommands?)|misconf\\w*|readonly\\w*)`),
  metrics: metrics('redis_(?:errors_total|commands_(?:failed|rejected)_calls_total)'),
  meaning: 'Redis answers commands with errors.',
  impact: 'What its clients asked for was not done; unless they try again, it is lost.',
  causes: [
    refusal('MISCONF', {
      id: 'save-failed', cause: 'It refuses writes because its last save to disk failed',
      mechanism: 'stop-writes-on-bgsave-error protects what it could not save.',
    }),
    refusal('OOM', {
      id: 'full', cause: 'It refuses writes because its memory is full',
      mechanism: 'It has reached maxmemory, and its policy evicts nothing.',
    }),
    refusal('READONLY', {
      id: 'replica', cause: 'Clients write to a replica',
      mechanism: 'After a failover they still use the address of the former master.',
    }),
    refusal('CLUSTERDOWN|MASTERDOWN', {
      id: 'down', cause: 'It has lost other nodes that it needs',
      mechanism: 'Slots of the cluster have no node, or a replica has lost its master.',
    }),
    refusal('BUSY|LOADING', {
      id: 'busy', cause: 'A script blocks it, or it is still loading its data',
      mechanism: 'Until that ends, it answers nothing else.',
    }),
    refusal('NOAUTH|WRONGPASS|NOPERM', {
      id: 'login', cause: 'Clients log in with a wrong password, or may not do what they ask for',
      mechanism: 'A password or an access list was changed on one side.',
    }),
  ],
  steps: [
    {
      action: 'Count the errors by kind.',
      why: 'The first word of each answer says what is wrong.',
      command: shell(`${cli} info errorstats`),
    },
    {
      action: 'Read its memory, persistence and role.',
      why: 'maxmemory, rdb_last_bgsave_status and role decide whether it accepts writes.',
      command: shell(`${cli} info | grep -E ` +
        "'^(used_memory_human|maxmemory_|rdb_last_bgsave_status|role|master_)'"),
      expected: 'Memory is left, the last save is ok, and role is master.',
    },
  ],
};
