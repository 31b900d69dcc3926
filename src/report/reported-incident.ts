/** The incident of an alert, as its report shows it. */
export interface ReportedIncident {
  readonly id: string;
  readonly url: string;
  readonly members: readonly string[];
  readonly likely_origin: string | null;
  /** Null where no investigation reached it. Absent from reports of earlier versions. */
  readonly origin?: null | (IncidentOrigin & {
    /** Whether this alert's own path leads there. */
    readonly is_reached: boolean;
    /** The alert that is about it, and its report; null without one. */
    readonly alert: string | null;
    readonly report_url: string | null;
  });
}

/** The deepest thing that fails of all that the investigations of an incident's alerts reached. */
export interface IncidentOrigin {
  readonly name: string;
  /** With its name, what fails there. */
  readonly text: string;
}
