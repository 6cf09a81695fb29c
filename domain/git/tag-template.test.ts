import { describe, expect, test } from 'vitest';
import { tagMatches, tagTemplateFault } from './tag-template.ts';

describe('a tag', () => {
  test.each([
    ['v*', 'v1.2.3', true],
    ['v*', 'v', true],
    ['v*', 'V1', false],
    ['v*', 'api-v1', false],
    ['v*', 'v1/2', false],
    ['api-v*', 'api-v1', true],
    ['*', 'anything', true],
    ['*', 'a/b', false],
    ['*/*', 'a/b', true],
    ['*/v*', 'api/v1', true],
    ['*/v*', 'a/b/v1', false],
    ['release', 'release', true],
    ['release', 'release-1', false],
    ['v*.0', 'v1.0.0', true],
    ['v*.0', 'v1.0.1', false],
    ['v*-rc*', 'v1-rc-rc2', true],
    ['v.*', 'vx1', false],
    ['a*b*c', 'aXbYbZc', true],
    ['a*/b*c', 'ax/by/bc', false],
    ['v(1)*', 'v(1)', true],
  ])('%j and %j: %j', (template, tag, matches) => {
    expect(tagMatches(template, tag)).toBe(matches);
  });

  test('a hostile template and tag are compared in little time', () => {
    expect(tagMatches(`${'a*'.repeat(5)}b`, 'a'.repeat(10_000))).toBe(false);
  });
});

describe('a template', () => {
  test.each(['v*', 'api-v*', 'release/*', '*', 'v1.0', 'α*', 'app@*', 'v*+build'])('%j is one', (text) => {
    expect(tagTemplateFault(text)).toBeUndefined();
  });
  test.each([
    ['', '1 to 200'],
    ['v'.repeat(201), '1 to 200'],
    ['v *', 'stands for itself'],
    ['^v.+$', 'stands for itself'],
    ['v[0-9]', 'stands for itself'],
    ['v\n*', 'a control character'],
    ['-v*', 'no tag of this form'],
    ['/v*', 'no tag of this form'],
    ['v/', 'no tag of this form'],
    ['a..b', 'no tag of this form'],
    ['*'.repeat(6), 'at most 5'],
  ])('%j is none', (text, why) => {
    expect(tagTemplateFault(text)).toContain(why);
  });
});
