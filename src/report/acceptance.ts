/** What passes between the webhook, which checks a request, and intake, which accepts it. */
import type { Notification } from '../alert/notification.ts';

/** A notification that passed every check of the request, parsed once. */
export interface ReceivedNotification {
  readonly notification: Notification;
  /** The bytes it was parsed from. */
  readonly body: Buffer;
  /** The body, decoded. */
  readonly text: string;
  /** Wall time in milliseconds at which the body was complete. */
  readonly receivedAt: number;
}

/** One link of the answer, as it goes over the wire. */
export interface ReportLink {
  readonly fingerprint: string;
  readonly alert_name: string;
  readonly namespace: string;
  readonly report_url: string;
}

export type AcceptResult =
  | {
      readonly kind: 'accepted';
      /** One per valid alert, in the order sent. */
      readonly links: readonly ReportLink[];
      readonly deduplicated: number;
    }
  | { readonly kind: 'queue_full' }
  | { readonly kind: 'storage_unavailable' };
