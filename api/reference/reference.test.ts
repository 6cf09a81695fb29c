import { expect, test } from 'vitest';
import { html } from '../../pages/html.ts';
import { fileApi } from '../../test/api/own-api.ts';
import { documentedPaths } from '../engine/openapi/document.ts';
import { namedOperations } from '../engine/registry.ts';
import { operations } from '../operations.ts';

const api = await fileApi();

test('the page shows every operation and loads nothing from elsewhere', async () => {
  const page = await api.call('GET', '/docs');
  expect(page.status).toBe(200);
  expect(page.headers.get('content-security-policy')).toMatch(
    /^default-src 'none'; style-src 'self'; script-src 'self'/,
  );
  const paths = documentedPaths(namedOperations(operations));
  for (const { name, operation } of namedOperations(operations)) {
    expect(page.text).toContain(`id="${name}"`);
    expect(page.text).toContain(`<code>${paths.get(operation.url)}</code>`);
  }
  expect(page.text.match(/(?:src|href)="(?!#|\/)/g)).toBeNull();
  expect(page.text).not.toMatch(/ style=| on\w+=|<script>/);
  for (const [, asset] of page.text.matchAll(/(?:src|href)="(\/[^"]+)"/g)) {
    expect((await api.call('GET', String(asset))).status, asset).toBe(200);
  }
});

test('what is put into HTML is escaped', () => {
  expect(html`<p>${'<script>"&'}${[html`<b>x</b>`, 1]}</p>`.text).toBe('<p>&#60;script&#62;&#34;&#38;<b>x</b>1</p>');
});
