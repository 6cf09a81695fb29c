import type { Kysely } from 'kysely';
import { type ApiTokenView, findToken } from '../../db/api-tokens/api-tokens.ts';
import { type ClusterView, findCluster } from '../../db/clusters/clusters.ts';
import { type DeletionView, findDeletion } from '../../db/deletions/deletions.ts';
import type { Author } from '../../db/engine/author.ts';
import { findInvitationOf, type InvitationView } from '../../db/invitations/invitations.ts';
import { findMember, type MemberView } from '../../db/members/members.ts';
import type { Database } from '../../db/postgres/database.ts';
import type { Tables } from '../../db/postgres/tables.ts';
import { findTeam, type TeamView } from '../../db/teams/teams.ts';
import { findTrustedIssuer, type TrustedIssuerView } from '../../db/trusted-issuers/trusted-issuers.ts';
import { type ActorView, findActor, findActorOfPerson } from '../../db/workflows/actors.ts';
import { Problem } from '../../domain/problems.ts';
import type { Role } from '../../domain/roles.ts';

/** What the caller proved who it is with. */
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

  /** An organization that was deleted and whose owner the caller is. */
  async deletedOrganization(id: string, kysely: Kysely<Tables> = this.parts.database.kysely): Promise<DeletionView> {
    const found = this.userId === undefined ? undefined : await findDeletion(kysely, this.userId, id);
    if (found === undefined) {
      throw new Problem('not-found', 'There is no such deleted organization, or you are not its owner.');
    }
    if (!found.requireMfa || this.mfa) return found;
    throw new Problem('mfa-required', `The organization ${found.name} wants a sign-in with a second factor.`);
  }

  /** The workflow of a deletion, open or not, of an organization that the caller owned or has deleted. */
  async deletion(id: string): Promise<ActorView> {
    const { kysely } = this.parts.database;
    const found = this.userId === undefined ? undefined : await findActorOfPerson(kysely, this.userId, id);
    if (found === undefined) {
      throw new Problem(
        'not-found',
        'There is no such deletion, or you neither requested it nor own its organization.',
      );
    }
    if (!found.requireMfa || this.mfa) return found;
    throw new Problem('mfa-required', `The organization ${found.name} wants a sign-in with a second factor.`);
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

  /** All that decides what may be done: if this changes, what was allowed before must be asked again. */
  get rights(): string {
    const projects = this.parts.projectIds === undefined ? 'all' : [...this.parts.projectIds].toSorted().join();
    return `${this.id} ${this.organization.id} ${this.role} ${projects}`;
  }

  seesProject(projectId: string): boolean {
    return this.parts.projectIds === undefined || this.parts.projectIds.has(projectId);
  }

  /** For paths that name the organization itself: it must be the one the request is about. */
  ownOrganization(id: string): CallerOrganization {
    if (id.toLowerCase() === this.organization.id) return this.organization;
    throw new Problem(
      'not-found',
      'There is no such organization, or it is not the one that the request has chosen; name the same one in X-Svc-Organization.',
    );
  }

  /** Within an effect give its `kysely`: a second connection beside an open transaction can wait for ever. */
  async team(id: string, kysely: Kysely<Tables> = this.parts.database.kysely): Promise<TeamView> {
    return visible('team', await findTeam(kysely, this.organization.id, id));
  }

  async member(userId: string, kysely: Kysely<Tables> = this.parts.database.kysely): Promise<MemberView> {
    return visible('member', await findMember(kysely, this.organization.id, userId));
  }

  async invitation(id: string, kysely: Kysely<Tables> = this.parts.database.kysely): Promise<InvitationView> {
    return visible('invitation', await findInvitationOf(kysely, this.organization.id, id));
  }

  async apiToken(id: string, kysely: Kysely<Tables> = this.parts.database.kysely): Promise<ApiTokenView> {
    return visible('API token', await findToken(kysely, this.organization.id, id));
  }

  async cluster(id: string, kysely: Kysely<Tables> = this.parts.database.kysely): Promise<ClusterView> {
    return visible('cluster', await findCluster(kysely, this.organization.id, id));
  }

  async actor(id: string, kysely: Kysely<Tables> = this.parts.database.kysely): Promise<ActorView> {
    return visible('workflow', await findActor(kysely, this.organization.id, id));
  }

  async trustedIssuer(id: string, kysely: Kysely<Tables> = this.parts.database.kysely): Promise<TrustedIssuerView> {
    return visible('trusted issuer', await findTrustedIssuer(kysely, this.organization.id, id));
  }
}

/** What may not be seen does not exist. */
function visible<T>(what: string, found: T | undefined): T {
  if (found !== undefined) return found;
  throw new Problem('not-found', `There is no such ${what} in this organization, or it is not visible to you.`);
}
