import type { ProblemCode } from '../../../domain/problems.ts';
import type { AnyOperation } from '../operation.ts';

/** Problems that any request can end in. */
const always: readonly ProblemCode[] = [
  'invalid-request',
  'misdirected-host',
  'invalid-field',
  'too-many-requests',
  'client-closed-request',
  'defect',
  'unavailable',
  'timeout',
];

/** Everything an operation can fail with: what it declares itself, and what its access and its method imply. */
export function possibleProblems(operation: AnyOperation): ProblemCode[] {
  const { access } = operation;
  const changes = operation.method !== 'GET';
  const codes: ProblemCode[] = [...always, ...operation.problems];
  if (changes) codes.push('body-too-large', 'unsupported-media-type');
  if (access.scope !== 'public') {
    codes.push('no-credential', 'organization-header-malformed', 'wrong-organization');
    if (changes) codes.push('csrf-header-missing', 'request-still-running', 'quota-reached');
    if (operation.carriesSecret) codes.push('answer-carried-secret');
    if (access.credentials === 'session') codes.push('session-required');
    if (access.credentials === 'token') codes.push('token-required');
  }
  if (access.scope === 'organization') {
    codes.push('organization-header-missing', 'role-too-low');
    if (access.credentials !== 'token') codes.push('mfa-required');
    if (access.projectTokens === 'refused') codes.push('project-restricted');
  }
  return [...new Set(codes)];
}
