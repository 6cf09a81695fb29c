import type { KnownCi } from './known-ci.ts';

interface SnippetOf {
  /** Address of Ballast. */
  url: string;
  /** The slug of the organization. */
  organization: string;
  audience: string;
}

/** The lines by which a job gets a token, the same as in docs/continuous-integration.md. */
export function jobSnippet(ci: KnownCi['id'], of: SnippetOf): { text: string; file: string } {
  if (ci === 'github') return { text: github(of), file: '.github/workflows/deploy.yml' };
  if (ci === 'gitlab') return { text: gitlab(of), file: '.gitlab-ci.yml' };
  return { text: shell(of), file: 'Script of the job, where job_token is what the CI gives to it' };
}

function github({ url, organization, audience }: SnippetOf): string {
  const asked = audience === url ? '$BALLAST_URL' : encodeURIComponent(audience);
  return `permissions:
  id-token: write
  contents: read
jobs:
  deploy:
    runs-on: ubuntu-latest
    env:
      BALLAST_URL: ${url}
    steps:
      - name: Get a token of Ballast
        run: |
          job_token=$(curl -sS --fail-with-body -H "Authorization: Bearer $ACTIONS_ID_TOKEN_REQUEST_TOKEN" \\
            "$ACTIONS_ID_TOKEN_REQUEST_URL&audience=${asked}" | jq -r .value)
          answer=$(jq -n --arg token "$job_token" '{organization: "${organization}", token: $token}' |
            curl -sS --fail-with-body "$BALLAST_URL/api/v1/token-exchange" -H "Content-Type: application/json" -d @-) ||
            { echo "$answer"; exit 1; }
          secret=$(jq -r .secret <<< "$answer")
          echo "::add-mask::$secret"
          echo "BALLAST_TOKEN=$secret" >> "$GITHUB_ENV"
      - name: Use it
        run: curl -sS --fail-with-body "$BALLAST_URL/api/v1/teams" -H "Authorization: Bearer $BALLAST_TOKEN"
`;
}

function gitlab({ url, organization, audience }: SnippetOf): string {
  return `deploy:
  image: alpine:3
  variables:
    BALLAST_URL: ${url}
  id_tokens:
    JOB_TOKEN_FOR_BALLAST:
      aud: ${yamlText(audience)}
  script:
    - apk add --no-cache curl jq
    - |
      answer=$(jq -n --arg token "$JOB_TOKEN_FOR_BALLAST" '{organization: "${organization}", token: $token}' |
        curl -sS --fail-with-body "$BALLAST_URL/api/v1/token-exchange" -H "Content-Type: application/json" -d @-) ||
        { echo "$answer"; exit 1; }
      BALLAST_TOKEN=$(echo "$answer" | jq -r .secret)
    - curl -sS --fail-with-body "$BALLAST_URL/api/v1/teams" -H "Authorization: Bearer $BALLAST_TOKEN"
`;
}

function shell({ url, organization }: SnippetOf): string {
  return `BALLAST_URL=${url}
answer=$(jq -n --arg token "$job_token" '{organization: "${organization}", token: $token}' |
  curl -sS --fail-with-body "$BALLAST_URL/api/v1/token-exchange" -H "Content-Type: application/json" -d @-) ||
  { echo "$answer"; exit 1; }
BALLAST_TOKEN=$(echo "$answer" | jq -r .secret)
curl -sS --fail-with-body "$BALLAST_URL/api/v1/teams" -H "Authorization: Bearer $BALLAST_TOKEN"
`;
}

/** Text that YAML could read as another type is quoted as in JSON. */
function yamlText(text: string): string {
  return /^https?:\/\/[\w./:-]+$/.test(text) ? text : JSON.stringify(text);
}
