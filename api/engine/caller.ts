import type { Kysely } from 'kysely';
import type { Author } from '../../db/engine/author.ts';
import type { FeedPosition } from '../../db/engine/feed/replay.ts';
import type { Database } from '../../db/postgres/database.ts';
import type { Tables } from '../../db/postgres/tables.ts';
import { Problem } from '../../domain/problems.ts';
import type { Role } from '../../domain/roles.ts';
import type { Resource } from './resource.ts';

/** The credential that proved who the caller is. */
export interface CallerCredential {
  kind: 'session' | 'token';
  id: string;
}

/** The person behind a session, as the last sign-in described it. */
export interface Person {
  id: string;
  name: string;
  email: string;
  /** Whether the identity provider vouches for the address. */
  emailVerified: boolean;
  picture: string | null;
}

export interface CallerOrganization {
  id: string;
  name: string;
  slug: string;
}

/** An organization the caller belongs to. Of a token, the one it was made in. */
export interface CallerMembership extends CallerOrganization {
  role: Role;
  requireMfa: boolean;
}

export interface CallerParts {
  credential: CallerCredential;
  /** The id and name of the person, or of the token. */
  id: string;
  name: string;
  /** Of a session only: a token is nobody in person. */
  person?: Person;
  /** Of a session only: the state of the database in which it was read. */
  readIn?: FeedPosition;
  /** Of a token only: the person who made it, whose end is its end. */
  makerId?: string;
  /** Whether the sign-in passed more than one factor. */
  mfa: boolean;
  /** How long the credential is good at most; undefined: without an end. */
  millisLeft: number | undefined;
  /** The session would end for idleness before long. */
  idleSoon?: boolean;
  /** Absent: not limited. */
  projectIds: ReadonlySet<string> | undefined;
  memberships: readonly CallerMembership[];
  ip: string;
  requestId: string;
  database: Database;
}

/** Who calls. Whatever an operation works on is looked up through it, so that nobody reaches what is not theirs. */
export class Caller {
  readonly credential: CallerCredential;
  readonly id: string;
  readonly name: string;
  readonly memberships: readonly CallerMembership[];
  readonly author: Author;
  protected readonly parts: CallerParts;

  constructor(parts: CallerParts) {
    this.parts = parts;
    this.credential = parts.credential;
    this.id = parts.id;
    this.name = parts.name;
    this.memberships = parts.memberships;
    this.author = {
      kind: parts.credential.kind === 'session' ? 'user' : 'token',
      id: parts.id,
      name: parts.name,
      ip: parts.ip,
      requestId: parts.requestId,
    };
  }

  get person(): Person | undefined {
    return this.parts.person;
  }

  get readIn(): FeedPosition | undefined {
    return this.parts.readIn;
  }

  get mfa(): boolean {
    return this.parts.mfa;
  }

  get millisLeft(): number | undefined {
    return this.parts.millisLeft;
  }

  get idleSoon(): boolean {
    return this.parts.idleSoon ?? false;
  }

  /** The id of the person behind a session. A token is nobody in person. */
  get userId(): string | undefined {
    return this.credential.kind === 'session' ? this.id : undefined;
  }

  /** The person whose rights bound the caller's: itself, or who made the token. */
  get answerableId(): string | undefined {
    return this.userId ?? this.parts.makerId;
  }

  /** As whom it counts wherever a person is asked for: a token counts as who made it. */
  get countsAs(): { id: string; name: string } {
    return { id: this.answerableId ?? this.id, name: this.name };
  }

  in(membership: CallerMembership): OrganizationCaller {
    return new OrganizationCaller(this.parts, membership);
  }
}

/** A caller in the organization it has chosen, with the role it has there. */
export class OrganizationCaller extends Caller {
  readonly organization: CallerOrganization;
  readonly role: Role;

  constructor(parts: CallerParts, membership: CallerMembership) {
    super(parts);
    this.organization = membership;
    this.role = membership.role;
  }

  get isLimitedToProjects(): boolean {
    return this.parts.projectIds !== undefined;
  }

  /** The projects that the caller is limited to, for lists; undefined: not limited. */
  get projectIds(): string[] | undefined {
    return this.parts.projectIds && [...this.parts.projectIds];
  }

  /** All that decides what may be done: if this changes, what was allowed before must be asked again. */
  get rights(): string {
    const projects = this.parts.projectIds === undefined ? 'all' : [...this.parts.projectIds].toSorted().join();
    return `${this.id} ${this.organization.id} ${this.role} ${projects}`;
  }

  seesProject(projectId: string): boolean {
    return this.parts.projectIds === undefined || this.parts.projectIds.has(projectId);
  }

  /** Of a token that is limited to no project at all, nothing is for its projects. */
  seesOneOf(projectIds: readonly string[] | 'all'): boolean {
    if (this.parts.projectIds === undefined) return true;
    return projectIds === 'all' ? this.parts.projectIds.size > 0 : projectIds.some((id) => this.seesProject(id));
  }

  /** For paths that name the organization itself: it must be the one the request is about. */
  ownOrganization(id: string): CallerOrganization {
    if (id.toLowerCase() === this.organization.id) return this.organization;
    throw new Problem(
      'not-found',
      'There is no such organization, or it is not the one that the request has chosen; name the same one in X-Svc-Organization.',
    );
  }

  /**
   * The thing of that id, if it is the organization's: what may not be seen does not exist. Within an effect give its
   * `kysely`: a second connection beside an open transaction can wait for ever.
   */
  async see<T>(
    { noun, find, projectOf, projectsOf }: Resource<T>,
    id: string,
    kysely: Kysely<Tables> = this.parts.database.kysely,
  ): Promise<T> {
    const found = await find(kysely, this.organization.id, id);
    const isSeen =
      found !== undefined &&
      (projectOf === undefined || this.seesProject(projectOf(found))) &&
      (projectsOf === undefined || this.seesOneOf(projectsOf(found)));
    if (isSeen) return found;
    throw new Problem('not-found', `There is no such ${noun} in this organization, or it is not visible to you.`);
  }
}
