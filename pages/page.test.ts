import { expect, test } from 'vitest';
import { html } from './html.ts';
import { page, pageHeaders, readAsset } from './page.ts';

test('a page carries no style or script of its own, and says nothing that was not escaped', () => {
  const text = page({ title: '</title><script>', body: html`<p>${'"<b>&\''}</p>`, scripts: ['passkey.js'] });
  expect(text).toContain('<title>&#60;/title&#62;&#60;script&#62; · Ballast</title>');
  expect(text).toContain('<p>&#34;&#60;b&#62;&#38;&#39;</p>');
  expect(text).not.toMatch(/<style|<script>|\son\w+=|style=/);
  expect(pageHeaders()['content-security-policy']).toContain("default-src 'none'");
});

test('the style sheet is whole, and asks for nothing from elsewhere', () => {
  const sheet = readAsset('pages.css').toString('utf8');
  expect(sheet.match(/\{/g)?.length).toBe(sheet.match(/\}/g)?.length);
  expect(sheet).toContain('color-scheme: light dark');
  expect(sheet.match(/url\([^)]*\)/g)).toEqual(['url("/assets/inter.woff2")']);
  expect(sheet).not.toMatch(/@import|https?:/);
});
