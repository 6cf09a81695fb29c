import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';
import { gitServer } from '../../../git/git-server.ts';
import { askedBy } from '../../asked.ts';
import { pushSample } from '../../delivery.ts';
import { heading } from '../../on-page.ts';
import type { Stories } from '../world.ts';

interface Desk {
  id: string;
  slug: string;
}

/** A field for a name until the branches of the repository are known, which are chosen from then. */
const branchesOf = (dialog: Locator) => dialog.getByLabel('Branch', { exact: true }).and(dialog.locator('select'));

export const repositoryStories: Stories = (world) => {
  test('a repository is looked at before there is a service, and one that cannot be read hinders nobody', async () => {
    const { ada, opened, means } = world();
    // Of the one that cannot be read.
    means(/repositoryConfig\.publicBranches: 422$/);
    const { page } = ada;
    const git = await gitServer();
    try {
      const manifest = { scripts: { start: 'node server.js' }, dependencies: { express: '5' } };
      const name = 'team/reading.git';
      await git.create(name);
      const files = { 'package.json': JSON.stringify(manifest), '.env.example': '# Who is greeted\nGUEST=\n' };
      const commit = await git.commit(name, { ...files, 'server.js': '' });
      await git.commit(name, { 'README.md': 'Later' }, { branch: 'next' });
      const asked = await askedBy(opened, ada);
      const { project } = await asked('POST', '/projects', { name: 'Reading room' });
      const { id, slug } = project as { id: string; slug: string };
      await asked('POST', `/projects/${id}/environments`, { name: 'Desk', production: false });

      await ada.go(`/default/p/${slug}/e/desk?add=true`);
      const dialog = page.getByRole('dialog', { name: 'New service in Desk' });
      await dialog.getByLabel('Name', { exact: true }).fill('Lamp');
      await dialog.getByRole('radio', { name: 'A repository' }).check();
      const address = dialog.getByLabel('Address of the repository');
      await address.fill(`${git.url}/team/none.git`);
      await dialog.getByText('The repository is not there, or it is private').waitFor();
      await address.fill(`${git.url}/${name}`);
      const found = dialog.getByRole('region', { name: 'What is in the repository' });
      await found.getByText('Can be built', { exact: true }).waitFor();
      await found.getByText(commit.slice(0, 8)).waitFor();
      await found.getByText('GUEST', { exact: true }).waitFor();
      await branchesOf(dialog).selectOption('next');
      await found.getByText('It cannot be built as it is').waitFor();
      await dialog.getByText('Desk builds main.').waitFor();
      await dialog.getByRole('button', { name: 'Stage' }).click();
      await dialog.waitFor({ state: 'detached' });

      const environments = (await asked('GET', `/projects/${id}/environments`)).items as Desk[];
      const desk = environments.find((one) => one.slug === 'desk')?.id;
      const { changeSet } = await asked('GET', `/environments/${desk}/change-set`);
      await asked('POST', `/change-sets/${(changeSet as Desk).id}/apply`, { message: 'Read', reason: 'Read' });
      await page.getByRole('link', { name: 'Lamp' }).first().click();
      await heading(page, 'Lamp').waitFor();
      await page.getByRole('link', { name: 'Builds' }).last().click();
      await page.getByRole('button', { name: 'Build now' }).click();
      const now = page.getByRole('dialog', { name: 'Build Lamp for Desk' });
      await now.getByLabel('Commit').fill('main');
      await now.getByRole('button', { name: 'Build' }).click();
      await now.getByText('The whole name of a commit').waitFor();
      await now.getByLabel('Commit').fill('');
      await branchesOf(now).selectOption('next');
      await now.getByRole('button', { name: 'Build' }).click();
      await heading(page, 'Build #2').waitFor();
      await page.getByText('next', { exact: true }).waitFor();

      await ada.go(`/default/p/${slug}/e/desk/settings`);
      await page.getByRole('button', { name: 'Change the branch' }).click();
      const branch = page.getByRole('dialog', { name: 'Branch of Desk' });
      await branchesOf(branch).selectOption('next');
      await branch.getByRole('button', { name: 'Change' }).click();
      await branch.waitFor({ state: 'detached' });
      await page.getByText('next', { exact: true }).waitFor();
      expect((await asked('GET', `/environments/${desk}`)).gitBranch).toBe('next');
    } finally {
      await git.close();
    }
  });

  test('a new project is built of a repository and followed to its address; of a folder it shows the lines', async () => {
    const { ada } = world();
    const { page } = ada;
    const git = await gitServer();
    try {
      const name = 'team/lantern.git';
      await git.create(name);
      const server = "require('node:http').createServer((_, answer) => answer.end('lit')).listen(process.env.PORT);";
      const manifest = JSON.stringify({ name: 'lantern', scripts: { start: 'node server.js' } });
      await git.commit(name, { 'package.json': manifest, 'server.js': server });
      await ada.go('/default/new-project');
      await page.getByLabel('Name', { exact: true }).fill('Lantern');
      await page.getByRole('radio', { name: 'A repository' }).check();
      await page.getByLabel('Address', { exact: true }).fill(`${git.url}/${name}`);
      await page.getByRole('button', { name: 'Create and deploy' }).click();
      await page.getByRole('link', { name: 'Open', exact: true }).waitFor();
    } finally {
      await git.close();
    }
    await ada.go('/default/new-project');
    await page.getByLabel('Name', { exact: true }).fill('Candle');
    await page.getByRole('radio', { name: 'A folder of yours' }).check();
    await page.getByRole('button', { name: 'Create project' }).click();
    await page.getByText('ballast deploy . --project candle --environment staging --service web').waitFor();
  });

  test('a new project that is refused is corrected, and the next attempt sends what the form says', async () => {
    const { ada, opened, means } = world();
    means(/services\.create: 422$/, /changeSets\.applyDraft: 4\d\d$/);
    const { page } = ada;
    const asked = await askedBy(opened, ada);
    const { project: other } = await asked('POST', '/projects', { name: 'Chandlery' });
    await asked('POST', `/projects/${(other as Desk).id}/services`, { name: 'Wick' });
    await pushSample(opened, 'default/chandlery/wick');

    const field = (label: string) => page.getByLabel(label, { exact: true });
    const send = page.getByRole('button', { name: 'Create and deploy' });
    await ada.go('/default/new-project');
    await page.getByText('One of another project here is default/project/service:1.4.').waitFor();
    await field('Name').fill('Sconce');
    await page.getByRole('radio', { name: 'Production' }).check();
    const registry = `localhost:${opened.installation.port}`;
    await field('Reference').fill(`${registry}/default/none/web:1`);
    await send.click();
    await page.getByText('is no repository of this installation').waitFor();
    // Everything is another one now, and this image is missed only when it is deployed.
    await field('Name').fill('Sconces');
    await field('Reference').fill(`${registry}/default/chandlery/wick:absent`);
    await field('Port').fill('9090');
    await send.click();
    await page.getByText('has no such image; push it first').waitFor();
    await page.getByRole('radio', { name: 'Staging' }).check();
    await field('Reference').fill('chandlery/wick:latest');
    await field('Port').fill('20080');
    await send.click();
    await page.getByRole('link', { name: 'Open', exact: true }).waitFor();

    const { items } = await asked('GET', '/projects?q=Sconce');
    expect(items).toMatchObject([{ name: 'Sconces', slug: 'sconce' }]);
    const [{ id } = { id: '' }] = items as Desk[];
    const { items: services } = await asked('GET', `/projects/${id}/services`);
    expect(services).toHaveLength(1);
    const { items: places } = await asked('GET', `/projects/${id}/environments`);
    const idOf = (slug: string) => (places as Desk[]).find((one) => one.slug === slug)?.id;
    const at = `/services/${(services as Desk[])[0]?.id}/processes?environmentId=${idOf('staging')}`;
    expect((await asked('GET', at)).items).toMatchObject([{ port: 20_080 }]);
    expect((await asked('GET', `/environments/${idOf('production')}/change-set`)).items).toEqual([]);
  });
};
