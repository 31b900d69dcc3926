/** Incidents that are recorded one by one: a mesh, a database's machine, single servers. */
import { toCandidate, type LabelledCase, type Recorded } from './labelled-case.ts';

export interface PackedCases {
  readonly dataset: string;
  readonly cases: readonly {
    readonly id: string;
    readonly split?: number;
    readonly series: Readonly<Record<string, Recorded>>;
    readonly truth: {
      readonly component: string;
      readonly fault: string;
      readonly metrics?: readonly string[];
    };
  }[];
}

type PackedCase = PackedCases['cases'][number];

function candidatesOf(dataset: string, { series }: PackedCase): LabelledCase['candidates'] {
  return Object.entries(series).map(([id, recorded]) => toCandidate(dataset, id, recorded));
}

/** Points from which the fault is looked at before it was injected, as its alert's window began. */
const meshLead = 2;
const meshSplit = 15;
const meshSplitMin = 6;

/** Online Boutique behind a mesh, at steps of 5 s; its front is what alerts. */
export function meshCases(packed: PackedCases): LabelledCase[] {
  return packed.cases.flatMap((each) => {
    const { id, truth, split = meshSplit } = each;
    const candidates = candidatesOf('mesh', each);
    const own = ['p95latency', 'p90latency'].flatMap((metric) =>
      candidates.filter((candidate) => candidate.id === `frontend|${metric}`)).at(0);
    if (own === undefined || truth.component === 'frontend') return [];
    return [{
      id, dataset: 'Mesh', system: 'Online Boutique', fault: truth.fault, ranked: 'components',
      answers: new Set([truth.component]), split: Math.max(meshSplitMin, split - meshLead),
      candidates, alerting: 'frontend', own,
    }];
  });
}

/** Counted since the start, or always the same. */
const unusable = new RegExp(
  '\\|(dbmsCum|osCountOfInterruptsServicedSince|dbmsPageSize|dbmsTotalPages|osNumberOfSwap)',
);
const databaseSplitMin = 12;

/** A machine with MySQL under TPC-C, at steps of 1 s; what its clients wait for is what alerts. */
export function databaseCases(packed: PackedCases): LabelledCase[] {
  return packed.cases.flatMap((each) => {
    const { id, truth: { fault }, split = 0 } = each;
    if (split < databaseSplitMin) return [];
    const candidates = candidatesOf('MySQL', each).filter((one) => !unusable.test(one.id));
    const telling = databaseCauses.filter(([cause]) => fault.includes(cause))
      .map(([, series]) => series);
    const answers = candidates.map((candidate) => candidate.id)
      .filter((name) => telling.some((series) => series.test(name)));
    return [{
      id, dataset: 'MySQL', system: 'MySQL', fault, ranked: 'series', answers: new Set(answers),
      split, candidates, alerting: '',
      own: candidates.find((candidate) => candidate.id === 'mysql|Combined Avg Latency') ?? null,
    }];
  });
}

/** Series in which an administrator would see a cause; several causes may be at work at once. */
const databaseCauses: readonly (readonly [cause: string, series: RegExp])[] = [
  ['Poorly Written Query', new RegExp('RowReadRequests|LogicalReadRequests|ReadRequests$|' +
    'MeasuredCPU|CpuUser|cpu_usr|ProcessesCurrentlyRunning')],
  ['Poor Physical Design', new RegExp('RowInsert|LogWrite|DirtyPages|FlushedPages|PageWrites|' +
    'DoubleWrite|DataWrites|TotalWrites|BufferPoolWrites')],
  ['Workload Spike', new RegExp('ThreadsRunning|CommittedCommands|LockWait|NetworkRecv|' +
    'NetworkSend|ContextSwitches|KeyBasedRead|RowInsert|ProcessesCreated')],
  ['I/O Saturation', /SectorWrites|WritesCompleted|CpuWai|DiskUtilization|AsynchronousIO/],
  ['IO', /SectorWrites|WritesCompleted|CpuWai|DiskUtilization|AsynchronousIO/],
  ['DB Backup', new RegExp('NextRowRead|NetworkSend|PhysicalReads|SectorReads|ReadsIssued|' +
    'DataReads|RowReadRequests$')],
  ['Table Restore', new RegExp('RowInsert|ChangedRows|BufferPoolWrites|LogWrite|' +
    'LogicalReadRequests|ReadRequests$|NetworkRecv')],
  ['CPU', /CpuSys|CpuUser|cpu_sys|cpu_usr|CpuIdle|cpu_idl|ProcessesCurrentlyRunning/],
  ['Flush Log/Table', new RegExp('FlushedPages|DataPages|FreePages|Fysnc|LogFsync|' +
    'PendingWrites|PhysicalLogWrites|DirtyPages|WaitsForFlush|AllocatedFileHandlers|' +
    'DataWrites|TotalWrites|PageWrites')],
  ['Network', /NetworkSend|NetworkRecv/],
  ['Lock Contention', /LockWait|ThreadsRunning/],
];

/** Single servers, of which a few metrics are at fault and nothing is known of an alert. */
export function serverCases(packed: PackedCases): LabelledCase[] {
  return packed.cases.map((each) => {
    const { id, truth: { component, fault, metrics = [] }, split = 0 } = each;
    return {
      id, dataset: packed.dataset, system: 'Servers', fault, ranked: 'series',
      answers: new Set(metrics.map((metric) => `${component}|${metric}`)), split,
      candidates: candidatesOf(packed.dataset, each), alerting: '', own: null,
    };
  });
}
