import type { ReactNode } from 'react';
import { roleWords } from '../../components/forms/roles.tsx';
import { durationText } from '../../components/times/durations.ts';
import type { Answers } from '../../control-plane/session.ts';
import { issuerName, orderedClaims } from './known-ci.ts';

export type Rule = Answers['trustedIssuers']['list']['items'][number];

/** "Jobs of GitHub Actions whose repository is octo/app and whose ref is refs/heads/main get the role deployer for 15 min." */
export function RuleSentence({ rule }: { rule: Rule }) {
  const { issuer, claims, role, projectIds, tokenLifetimeSeconds } = rule;
  const limit = projectIds === undefined ? '' : `, for ${projectIds.length} of its projects`;
  return (
    <>
      Jobs of <Word>{issuerName(issuer)}</Word>
      {orderedClaims(issuer, claims).map(([claim, patterns], index) => (
        <span key={claim}>
          {index === 0 ? ' ' : ' and '}whose {claim} is{' '}
          {patterns.map((pattern, at) => (
            <span key={pattern}>
              {at > 0 && ' or '}
              <code className="wrap-anywhere font-mono text-[0.92em] text-text">{pattern}</code>
            </span>
          ))}
        </span>
      ))}{' '}
      get the role <Word>{roleWords[role].name.toLowerCase()}</Word> for {durationText(tokenLifetimeSeconds * 1000)}
      {limit}.
    </>
  );
}

function Word({ children }: { children: ReactNode }) {
  return <span className="text-text">{children}</span>;
}
