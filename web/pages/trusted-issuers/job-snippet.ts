import type { KnownCi } from './known-ci.ts';

interface SnippetOf {
  /** Address of Ballast. */
  url: string;
  /** The slug of the organization. */
  organization: string;
  audience: string;
}

/** The lines by which a job gets a token and deploys, the same as in docs/continuous-integration.md. */
export function jobSnippet(ci: KnownCi['id'], of: SnippetOf): { text: string; file: string } {
  if (ci === 'github') return { text: github(of), file: '.github/workflows/deploy.yml' };
  if (ci === 'gitlab') return { text: gitlab(of), file: '.gitlab-ci.yml' };
  return { text: shell(of), file: 'Script of the job, where BALLAST_JOB_TOKEN is what the CI gives to it' };
}

function github({ url, organization, audience }: SnippetOf): string {
  const asked = audience === url ? '' : ` --audience ${shellText(audience)}`;
  return `permissions:
  id-token: write
  contents: read
jobs:
  deploy:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - name: Deploy
        run: |
          npm install --global ${url}/api/v1/cli/ballast.tgz
          BALLAST_TOKEN=$(ballast token exchange --organization ${organization}${asked})
          export BALLAST_TOKEN
          ballast deploy . --project shop --yes --json
`;
}

function gitlab({ url, organization, audience }: SnippetOf): string {
  return `deploy:
  image: node:24
  id_tokens:
    BALLAST_JOB_TOKEN:
      aud: ${yamlText(audience)}
  script:
    - npm install --global ${url}/api/v1/cli/ballast.tgz
    - BALLAST_TOKEN=$(ballast token exchange --organization ${organization})
    - export BALLAST_TOKEN
    - ballast deploy . --project shop --yes --json
`;
}

function shell({ url, organization }: SnippetOf): string {
  return `export BALLAST_JOB_TOKEN
npm install --global ${url}/api/v1/cli/ballast.tgz
BALLAST_TOKEN=$(ballast token exchange --organization ${organization})
export BALLAST_TOKEN
ballast deploy . --project shop --yes --json
`;
}

function shellText(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Text that YAML could read as another type is quoted as in JSON. */
function yamlText(text: string): string {
  return /^https?:\/\/[\w./:-]+$/.test(text) ? text : JSON.stringify(text);
}
