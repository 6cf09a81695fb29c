/**
 * Every problem the product can name, with the status it has over HTTP. Operations declare the ones they answer with;
 * actors and agents use the same codes, so that a failure reads the same wherever it is met.
 */
export const problems = {
  'invalid-request': { status: 400, title: 'Bad Request' },
  'organization-header-missing': { status: 400, title: 'Bad Request' },
  'organization-header-malformed': { status: 400, title: 'Bad Request' },
  'no-credential': { status: 403, title: 'Forbidden' },
  'csrf-header-missing': { status: 403, title: 'Forbidden' },
  'mfa-required': { status: 403, title: 'Forbidden' },
  'sign-in-refused': { status: 403, title: 'Forbidden' },
  'email-mismatch': { status: 403, title: 'Forbidden' },
  'token-not-trusted': { status: 403, title: 'Forbidden' },
  'enrollment-refused': { status: 403, title: 'Forbidden' },
  'wrong-organization': { status: 403, title: 'Forbidden' },
  'role-too-low': { status: 403, title: 'Forbidden' },
  'session-required': { status: 403, title: 'Forbidden' },
  'token-required': { status: 403, title: 'Forbidden' },
  'project-restricted': { status: 403, title: 'Forbidden' },
  'not-found': { status: 404, title: 'Not Found' },
  'method-not-allowed': { status: 405, title: 'Method Not Allowed' },
  'request-timeout': { status: 408, title: 'Request Timeout' },
  conflict: { status: 409, title: 'Conflict' },
  'request-still-running': { status: 409, title: 'Conflict' },
  'answer-carried-secret': { status: 409, title: 'Conflict' },
  'quota-reached': { status: 409, title: 'Conflict' },
  'slug-taken': { status: 409, title: 'Conflict' },
  'managed-elsewhere': { status: 409, title: 'Conflict' },
  'last-owner': { status: 409, title: 'Conflict' },
  'already-member': { status: 409, title: 'Conflict' },
  'invitation-over': { status: 409, title: 'Conflict' },
  'members-without-mfa': { status: 409, title: 'Conflict' },
  'already-decided': { status: 409, title: 'Conflict' },
  'deployments-at-limit': { status: 409, title: 'Conflict' },
  'release-retired': { status: 409, title: 'Conflict' },
  'service-suspended': { status: 409, title: 'Conflict' },
  'cluster-in-use': { status: 409, title: 'Conflict' },
  'cluster-not-ready': { status: 409, title: 'Conflict' },
  'update-in-progress': { status: 409, title: 'Conflict' },
  'capability-missing': { status: 409, title: 'Conflict' },
  'changed-meanwhile': { status: 409, title: 'Conflict' },
  'change-set-changed': { status: 409, title: 'Conflict' },
  'image-not-resolved': { status: 409, title: 'Conflict' },
  /** Nor what a repository has. */
  'commit-not-resolved': { status: 409, title: 'Conflict' },
  'downtime-not-accepted': { status: 409, title: 'Conflict' },
  'variables-missing': { status: 409, title: 'Conflict' },
  'service-exists': { status: 409, title: 'Conflict' },
  'build-values-differ': { status: 409, title: 'Conflict' },
  'image-unfit': { status: 409, title: 'Conflict' },
  'approval-stale': { status: 409, title: 'Conflict' },
  superseded: { status: 409, title: 'Conflict' },
  'cluster-deleted': { status: 410, title: 'Gone' },
  'body-too-large': { status: 413, title: 'Content Too Large' },
  'unsupported-media-type': { status: 415, title: 'Unsupported Media Type' },
  'misdirected-host': { status: 421, title: 'Misdirected Request' },
  'invalid-field': { status: 422, title: 'Unprocessable Content' },
  'protocol-too-old': { status: 426, title: 'Upgrade Required' },
  'too-many-requests': { status: 429, title: 'Too Many Requests' },
  'client-closed-request': { status: 499, title: 'Client Closed Request' },
  defect: { status: 500, title: 'Internal Server Error' },
  unavailable: { status: 503, title: 'Service Unavailable' },
  timeout: { status: 504, title: 'Gateway Timeout' },
} as const satisfies Record<string, { status: number; title: string }>;

export type ProblemCode = keyof typeof problems;

export interface FieldError {
  message: string;
  /** Where in the request: `query.limit`, `body.items[2].kind`, `path.id`. */
  location: string;
  value?: unknown;
}

/** A field that others changed after the client had looked. */
export interface Meanwhile {
  location: string;
  /** The value of now. */
  value: unknown;
  /** Absent if the audit log does not say. */
  by?: string;
  at?: string;
  /** The `seen` of a staged change that overwrites this on purpose, and nothing later. */
  seen?: { itemId?: string; updatedAt?: string; value?: unknown };
}

/** A service that would be down for a moment, with the processes that stop and the volumes for which they do. */
export interface Downtime {
  serviceId: string;
  serviceName: string;
  processes: readonly { name: string; volumes: readonly string[] }[];
}

/** A failure that people are told about: `detail` is a sentence that says what is wrong and what to do. */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly errors: FieldError[] | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly meanwhile: readonly Meanwhile[] | undefined;
  readonly downtime: readonly Downtime[] | undefined;
  /** Variables that are not there. */
  readonly missing: readonly string[] | undefined;
  /** The thing that has the name already. */
  readonly existing: { id: string; slug: string; name: string } | undefined;

  constructor(
    code: ProblemCode,
    detail: string,
    more: {
      errors?: FieldError[];
      retryAfterSeconds?: number;
      meanwhile?: readonly Meanwhile[];
      downtime?: readonly Downtime[];
      missing?: readonly string[];
      existing?: { id: string; slug: string; name: string };
    } = {},
  ) {
    super(detail);
    this.name = 'Problem';
    this.code = code;
    this.errors = more.errors;
    this.retryAfterSeconds = more.retryAfterSeconds;
    this.meanwhile = more.meanwhile;
    this.downtime = more.downtime;
    this.missing = more.missing;
    this.existing = more.existing;
  }

  get status(): number {
    return problems[this.code].status;
  }
}
