import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { jobSnippet } from './job-snippet.ts';
import { knownCis } from './known-ci.ts';

const url = 'https://ballast.example.com';
const docs = readFileSync(new URL('../../../docs/continuous-integration.md', import.meta.url), 'utf8');

test.each(['github', 'gitlab'] as const)('what the console shows for %s is what the documentation says', (ci) => {
  const { text } = jobSnippet(ci, { url, organization: 'your-organization', audience: url });
  expect(docs).toContain(`\`\`\`yaml\n${text}\`\`\``);
});

test('an audience of any letters stays one audience', () => {
  const of = { url, organization: 'acme', audience: 'a "b" & $(c): #d\'' };
  expect(jobSnippet('github', of).text).toContain(String.raw` --organization acme --audience 'a "b" & $(c): #d'\'''`);
  expect(jobSnippet('gitlab', of).text).toContain(String.raw`aud: "a \"b\" & $(c): #d'"`);
});

test('the claims that presets name are described, and so are their issuers', () => {
  for (const { issuer, claims, known } of knownCis) {
    expect(docs).toContain(issuer);
    for (const { claim } of claims) expect([...known]).toContain(claim);
  }
});
