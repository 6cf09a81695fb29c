import { useState } from 'react';
import { SelectField } from '../../components/forms/form.tsx';
import type { FieldIn, FieldsOf, Some } from '../../components/forms/operation/fields.ts';
import { tokenRoleChoices } from '../../components/forms/roles.tsx';
import { durationText } from '../../components/times/durations.ts';
import type { Answers } from '../../control-plane/session.ts';
import { ClaimsField, claimPairs, claimsOf } from './claims-field.tsx';
import { ciOf, type KnownCi, knownCis, orderedClaims } from './known-ci.ts';

type Claims = Record<string, string[]>;
/** Fields of a rule, for creating and for changing one. */
export type RuleBody = Some<{
  name: string;
  claims: Claims;
  role: Answers['trustedIssuers']['list']['items'][number]['role'];
  tokenLifetimeSeconds: number;
  issuer: string;
  audience: string;
}>;

const lifetimes = [300, 900, 1800, 3600];

/** A new rule begins as one of the first platform known. */
export function newRule(ci: KnownCi | undefined = knownCis[0]): RuleBody {
  return {
    claims: Object.fromEntries((ci?.claims ?? []).map(({ claim, pattern }) => [claim, [pattern]])),
    role: 'deployer',
    tokenLifetimeSeconds: 900,
    issuer: ci?.issuer ?? '',
    audience: location.origin,
  };
}

export function ruleFields(exists: boolean): FieldsOf<RuleBody> {
  return {
    name: { placeholder: 'Deployments of the shop' },
    claims: { control: (field) => <Claims {...field} exists={exists} /> },
    role: { choices: tokenRoleChoices },
    tokenLifetimeSeconds: { control: Lifetime },
    issuer: {
      mono: true,
      hint: 'The exact value of iss in the tokens of the jobs.',
    },
    audience: {
      mono: true,
      hint: 'The required value of aud: the address of Ballast, so that tokens for other audiences are refused.',
    },
  };
}

/** The claims that identify a job. Of a new rule, the platform gives those that it should pin, and the issuer. */
function Claims({
  value = {},
  onChange,
  values,
  set,
  errors,
  exists,
}: FieldIn<Claims, RuleBody> & { exists: boolean }) {
  const [ci, setCi] = useState<KnownCi>(() => ciOf(values.issuer ?? ''));
  const [pairs, setPairs] = useState(() => claimPairs(orderedClaims(values.issuer ?? '', value)));
  const choose = (id: string) => {
    const chosen = knownCis.find((one) => one.id === id) ?? ci;
    const { claims = {}, issuer = '' } = newRule(chosen);
    setCi(chosen);
    setPairs(claimPairs(Object.entries(claims)));
    set({ claims, issuer });
  };
  return (
    <>
      {!exists && (
        <SelectField
          name="ci"
          label="CI system"
          value={ci.id}
          onChange={choose}
          choices={knownCis.map(({ id, name }) => ({ value: id, label: name }))}
        />
      )}
      <ClaimsField
        pairs={pairs}
        onChange={(next) => {
          setPairs(next);
          onChange(claimsOf(next));
        }}
        suggestions={ci.known}
        example={ci.example}
        errors={errors.map(([place, message]) => `${claimsAt(place)} ${message}`)}
      />
    </>
  );
}

function Lifetime({ value = 900, onChange }: FieldIn<number, RuleBody>) {
  const choices = [...new Set([...lifetimes, value])].sort((one, two) => one - two);
  return (
    <SelectField
      name="tokenLifetimeSeconds"
      label="Token lifetime"
      value={String(value)}
      onChange={(seconds) => onChange(Number(seconds))}
      choices={choices.map((seconds) => ({ value: String(seconds), label: durationText(seconds * 1000) }))}
    />
  );
}

/** The subject of a problem: all claims, or one by its name. */
function claimsAt(place: string): string {
  return place === 'body.claims' ? 'The claims' : place.replace(/^body\.claims\.?/, '');
}
