import { isFingerprint } from '../../alert/fingerprint.ts';
import type { AgainResult, FeedbackResult, NewFeedback } from '../../report/feedback.ts';
import type { AskResult } from '../../report/question.ts';
import type { Logger } from '../../telemetry/log.ts';
import type { Admission } from '../checks/admission.ts';
import { json, uncached, type Exchange, type Reply } from '../exchange.ts';
import { refusal } from '../http-errors.ts';
import { isBrowser } from '../representation.ts';
import { route, type Route } from '../router.ts';
import { parseFeedbackBody, parseQuestionBody } from './feedback-body.ts';
import { episodeNumberIn } from './segments.ts';

/** Each resolves once the change is on disk, or says why it was not made. */
export interface ReportWriting {
  takeFeedback(fingerprint: string, number: number, feedback: NewFeedback): Promise<FeedbackResult>;
  /** Queues a new analysis of the fingerprint's newest episode. */
  analyseAgain(fingerprint: string): Promise<AgainResult>;
  /** Queues a question about the report for the language model. */
  ask(fingerprint: string, number: number, question: string): Promise<AskResult>;
}

interface ReportWritingOptions {
  readonly writing: ReportWriting;
  readonly admission: Admission;
  readonly log: Pick<Logger, 'info'>;
}

/** A form with both texts at their longest and every character escaped is 23 KB. */
const bodyLimitBytes = 32 * 1024;

/**
 * Feedback on reports, questions about them, and requests to analyse an alert again. Must come
 * before the reading routes, one of whose paths matches as well.
 */
export function createReportWritingRoutes(
  { writing, admission, log }: ReportWritingOptions,
): Route[] {
  return [
    route('writing', 'POST', '/report/:fingerprint/:episode/feedback', async (exchange) => {
      const body = await admission.writer(exchange, bodyLimitBytes);
      const { fingerprint } = exchange.params;
      const episode = episodeNumberIn(exchange.params.episode);
      if (!isFingerprint(fingerprint) || episode === null) throw refusal('reportNotFound');
      const given = parseFeedbackBody(body, exchange.headers['content-type']);
      const result = await writing.takeFeedback(fingerprint, episode, given);
      if (result.kind === 'stored') {
        const { client } = exchange;
        log.info('Stored feedback', { verdict: given.verdict, fingerprint, episode, client });
      }
      return feedbackReply(result, exchange, `../${episode}#feedback`);
    }),
    route('writing', 'POST', '/report/:fingerprint/:episode/ask', async (exchange) => {
      const body = await admission.writer(exchange, bodyLimitBytes);
      const { fingerprint } = exchange.params;
      const episode = episodeNumberIn(exchange.params.episode);
      if (!isFingerprint(fingerprint) || episode === null) throw refusal('reportNotFound');
      const question = parseQuestionBody(body, exchange.headers['content-type']);
      const result = await writing.ask(fingerprint, episode, question);
      return askReply(result, exchange, `../${episode}#questions`);
    }),
    route('writing', 'POST', '/report/:fingerprint/analyse', async (exchange) => {
      await admission.writer(exchange, bodyLimitBytes);
      const { fingerprint } = exchange.params;
      if (!isFingerprint(fingerprint)) throw refusal('reportNotFound');
      return againReply(await writing.analyseAgain(fingerprint), exchange);
    }),
  ];
}

function askReply(
  { kind }: AskResult,
  { headers }: Pick<Exchange, 'headers'>,
  address: string,
): Reply {
  if (kind !== 'queued') throw refusal(unaskedFor[kind]);
  if (isBrowser(headers.accept)) return seeOther(address);
  return json(202, { status: 'success', message: 'Question queued' }, uncached);
}

const unaskedFor = {
  not_found: 'reportNotFound', not_ready: 'reportNotReady', no_model: 'noModel',
  full: 'questionsAreFull', busy: 'tooManyQuestions',
} as const;

const refusedFor = {
  not_found: 'reportNotFound', full: 'feedbackIsFull', forgotten: 'alertForgotten',
  queue_full: 'queueIsFull', storage_unavailable: 'storageUnavailable',
} as const;

function feedbackReply(
  result: FeedbackResult,
  { headers }: Pick<Exchange, 'headers'>,
  address: string,
): Reply {
  if (result.kind !== 'stored') throw refusal(refusedFor[result.kind]);
  if (isBrowser(headers.accept)) return seeOther(address);
  return json(201, { status: 'success', feedback: result.feedback }, uncached);
}

function againReply(result: AgainResult, { headers }: Pick<Exchange, 'headers'>): Reply {
  if (result.kind === 'too_soon') {
    const seconds = Math.max(1, Math.ceil(result.waitMs / 1000));
    throw refusal('analysedJustNow', { headers: ['Retry-After', String(seconds)] });
  }
  if (result.kind !== 'queued') throw refusal(refusedFor[result.kind]);
  const { number, reportUrl } = result;
  if (isBrowser(headers.accept)) return seeOther(String(number));
  const message = 'Alert queued for analysis';
  return json(202, { status: 'success', message, report_url: reportUrl }, uncached);
}

/** A relative redirect, so that it works behind any proxy and under any host name. */
function seeOther(address: string): Reply {
  return {
    status: 303,
    contentType: 'text/plain; charset=utf-8',
    body: 'See the report.\n',
    headers: [...uncached, 'Location', address],
  };
}
