import type { RuleOfOrganization } from '../../db/trusted-issuers/token-exchanges.ts';
import { Problem } from '../../domain/problems.ts';
import { firstMismatch, textsOf } from '../../domain/trusted-issuers/claim-patterns.ts';
import { printable } from '../engine/input/text.ts';
import type { JobToken } from './job-token.ts';

const mostNamed = 5;

/** The first rule that the job satisfies. Otherwise says of each rule what it is that does not match. */
export function matchingRule(rules: readonly RuleOfOrganization[], token: JobToken): RuleOfOrganization {
  const faults: string[] = [];
  for (const rule of rules) {
    const fault = faultOf(rule, token);
    if (fault === undefined) return rule;
    faults.push(`the rule "${rule.name}" wants ${fault}`);
  }
  const more = faults.length > mostNamed ? `, and ${faults.length - mostNamed} more rules do not match either` : '';
  throw new Problem(
    'token-not-trusted',
    `The token is genuine, but no rule trusts this job: ${faults.slice(0, mostNamed).join('; ')}${more}.`,
  );
}

/** The mismatch, by the token's own values. The rule's expectations stay with its owner. */
function faultOf(rule: RuleOfOrganization, { payload }: JobToken): string | undefined {
  if (!textsOf(payload.aud).includes(rule.audience)) return `another audience than ${shown(payload.aud)}`;
  const claim = firstMismatch(rule.claims, payload);
  if (claim === undefined) return undefined;
  return `another "${claim}" than ${shown(Object.hasOwn(payload, claim) ? payload[claim] : undefined)}`;
}

function shown(value: unknown): string {
  const texts = textsOf(value).map((text) => `"${printable(text)}"`);
  return texts.length === 0 ? 'none' : texts.slice(0, 3).join(', ');
}
