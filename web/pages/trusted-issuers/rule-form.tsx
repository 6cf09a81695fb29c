import { useState } from 'react';
import type { TokenRole } from '../../../domain/roles.ts';
import { SubmitOrCancel } from '../../components/dialogs/dialog.tsx';
import { Form, SelectField, TextField } from '../../components/forms/form.tsx';
import { TokenRoleField } from '../../components/forms/roles.tsx';
import { durationText } from '../../components/time.tsx';
import { useChange } from '../../control-plane/change.ts';
import { usePlane } from '../../control-plane/plane.ts';
import { type ClaimPair, ClaimsField, claimPairs, claimsOf } from './claims-field.tsx';
import { ciOf, type KnownCi, knownCis, orderedClaims } from './known-ci.ts';
import type { Rule } from './rule-sentence.tsx';

const lifetimes = [300, 900, 1800, 3600];

/** Form of a new rule, or of changes to an existing one. */
export function RuleForm({
  rule,
  onSaved,
  onClose,
}: {
  rule?: Rule;
  onSaved: (rule: Rule) => void;
  onClose: () => void;
}) {
  const { client, trpc } = usePlane();
  const [ci, setCi] = useState<KnownCi>(() => ciOf(rule?.issuer ?? knownCis[0]?.issuer ?? ''));
  const [name, setName] = useState(rule?.name ?? '');
  const [issuer, setIssuer] = useState(rule?.issuer ?? ci.issuer);
  const [audience, setAudience] = useState(rule?.audience ?? location.origin);
  const [pairs, setPairs] = useState(() =>
    rule === undefined ? presetPairs(ci) : claimPairs(orderedClaims(rule.issuer, rule.claims)),
  );
  const [role, setRole] = useState<TokenRole>(rule?.role ?? 'deployer');
  const [lifetime, setLifetime] = useState(rule?.tokenLifetimeSeconds ?? 900);
  const save = useChange(
    (body: ReturnType<typeof filledIn>, sent) =>
      rule === undefined
        ? client.trustedIssuers.create.mutate({ body }, sent)
        : client.trustedIssuers.update.mutate({ path: { id: rule.id }, body: changed(rule, body) }, sent),
    {
      failed: 'The rule could not be saved',
      succeeded: rule === undefined ? 'Rule created' : 'Rule saved',
      quiet: true,
      done: onSaved,
      touches: () => [trpc.trustedIssuers.pathKey(), trpc.apiTokens.pathKey()],
    },
  );
  const filledIn = () => ({
    name,
    issuer: issuer.trim(),
    audience: audience.trim(),
    claims: claimsOf(pairs),
    role,
    tokenLifetimeSeconds: lifetime,
  });
  const choose = (id: string) => {
    const chosen = knownCis.find((one) => one.id === id);
    if (chosen === undefined) return;
    setCi(chosen);
    setIssuer(chosen.issuer);
    setPairs(presetPairs(chosen));
  };
  const claimPlaces = Object.keys(save.problem?.fields ?? {}).filter((place) => place.startsWith('body.claims'));
  const places = ['name', 'issuer', 'audience', ...claimPlaces.map((place) => place.replace(/^body\./, ''))];

  return (
    <Form problem={save.problem} places={places} onSubmit={() => save.send(filledIn())}>
      {rule === undefined && (
        <SelectField
          name="ci"
          label="CI system"
          value={ci.id}
          onChange={choose}
          choices={knownCis.map(({ id, name }) => ({ value: id, label: name }))}
        />
      )}
      <TextField
        name="name"
        label="Name"
        placeholder="Deployments of the shop"
        value={name}
        onChange={setName}
        required
        first
        maxLength={100}
      />
      <ClaimsField
        pairs={pairs}
        onChange={setPairs}
        suggestions={ci.known}
        example={ci.example}
        errors={claimPlaces.map((place) => `${claimsAt(place)} ${save.problem?.fields[place]}`)}
      />
      <TokenRoleField value={role} onChange={setRole} />
      <SelectField
        name="tokenLifetimeSeconds"
        label="Token lifetime"
        value={String(lifetime)}
        onChange={(seconds) => setLifetime(Number(seconds))}
        choices={[...new Set([...lifetimes, lifetime])]
          .sort((one, two) => one - two)
          .map((seconds) => ({ value: String(seconds), label: durationText(seconds * 1000) }))}
      />
      <TextField
        name="issuer"
        type="url"
        label="Issuer"
        hint="The exact value of iss in the tokens of the jobs."
        value={issuer}
        onChange={setIssuer}
        required
        mono
        maxLength={500}
      />
      <TextField
        name="audience"
        label="Audience"
        hint="The required value of aud: the address of Ballast, so that tokens for other audiences are refused."
        value={audience}
        onChange={setAudience}
        required
        mono
        maxLength={500}
      />
      {rule !== undefined && (
        <p className="text-pretty text-soft text-sm">
          Changing the issuer, the audience, a claim or the role revokes the existing tokens of this rule.
        </p>
      )}
      <SubmitOrCancel onCancel={onClose} busy={save.sending}>
        {rule === undefined ? 'Trust these jobs' : 'Save'}
      </SubmitOrCancel>
    </Form>
  );
}

function presetPairs(ci: KnownCi): ClaimPair[] {
  return ci.claims.map((pair) => ({ ...pair, id: crypto.randomUUID() }));
}

/** The subject of a problem: all claims, or one by its name. */
function claimsAt(place: string): string {
  return place === 'body.claims' ? 'The claims' : place.replace(/^body\.claims\.?/, '');
}

/** Only changed fields are sent, so that concurrent changes of others survive. */
function changed<Body extends Partial<Rule>>(rule: Rule, body: Body): Partial<Body> {
  const different = Object.entries(body).filter(
    ([name, value]) => canonical(value) !== canonical(rule[name as keyof Rule]),
  );
  return Object.fromEntries(different) as Partial<Body>;
}

/** The same text for the same value, whatever the order of its parts. */
function canonical(value: unknown): string {
  return JSON.stringify(typeof value === 'object' && value !== null ? Object.entries(value).sort() : value);
}
