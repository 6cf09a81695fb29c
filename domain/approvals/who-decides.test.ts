import { expect, test } from 'vitest';
import { type ChangeAuthor, decidersAmong, type Standing, standingOf } from './approvals.ts';

const requested = (id: string): ChangeAuthor => ({ id, requested: true, byIssuer: false });
const staged = (id: string): ChangeAuthor => ({ id, requested: false, byIssuer: false });
const jobRequested = (id: string): ChangeAuthor => ({ id, requested: true, byIssuer: true });
const jobStaged = (id: string): ChangeAuthor => ({ id, requested: false, byIssuer: true });

/** Ada and Bob are administrators, Cleo owns the organization, Dan is a deployer, and `machine` a token of the machine. */
test.each<[string, string, ChangeAuthor[], Record<string, Standing>]>([
  ['a deployer requested it', 'ada bob cleo', [requested('dan')], { ada: 'decides', bob: 'decides', cleo: 'decides' }],
  ['an admin requested it', 'ada bob', [requested('ada')], { ada: 'requested', bob: 'decides' }],
  ['an admin staged', 'ada bob', [requested('dan'), staged('ada')], { ada: 'staged', bob: 'decides' }],
  ['an admin did both', 'ada bob', [requested('ada'), staged('ada')], { ada: 'requested', bob: 'decides' }],
  [
    'one requested, one staged, one is left',
    'ada bob cleo',
    [requested('ada'), staged('bob')],
    { ada: 'requested', bob: 'staged', cleo: 'decides' },
  ],
  [
    'one requested, the only other one staged',
    'ada bob',
    [requested('ada'), staged('bob')],
    { ada: 'requested', bob: 'decides-own' },
  ],
  [
    'all staged, a deployer requested',
    'ada bob',
    [requested('dan'), staged('ada'), staged('bob')],
    { ada: 'decides-own', bob: 'decides-own' },
  ],
  ['a sole admin requested it', 'ada', [requested('ada')], { ada: 'decides-own' }],
  ['a sole admin staged', 'ada', [requested('dan'), staged('ada')], { ada: 'decides-own' }],
  ['a sole admin did nothing', 'ada', [requested('dan')], { ada: 'decides' }],
  ['a job of her issuer requested it', 'ada bob', [jobRequested('ada')], { ada: 'trusted-issuer', bob: 'decides' }],
  [
    'a job of her issuer staged',
    'ada bob',
    [requested('dan'), jobStaged('ada')],
    { ada: 'trusted-issuer', bob: 'decides' },
  ],
  [
    'she staged, and a job of her issuer requested it',
    'ada bob',
    [jobRequested('ada'), staged('ada')],
    { ada: 'staged', bob: 'decides' },
  ],
  [
    'her job requested what the only other one staged',
    'ada bob',
    [jobRequested('ada'), staged('bob')],
    { ada: 'trusted-issuer', bob: 'decides-own' },
  ],
  [
    'all changed the issuer of the job',
    'ada bob',
    [jobRequested('ada'), jobRequested('bob')],
    { ada: 'decides-own', bob: 'decides-own' },
  ],
  ['a token of the machine requested it', 'ada', [requested('machine')], { ada: 'decides', machine: 'requested' }],
  [
    'a token of the machine staged what a sole admin requested',
    'ada',
    [requested('ada'), staged('machine')],
    { ada: 'decides-own', machine: 'decides-own' },
  ],
  ['nobody is an admin, and the machine requested it', '', [requested('machine')], { machine: 'decides-own' }],
])('%s', (_, admins, authors, expected) => {
  const deciders = admins.split(' ').filter((one) => one !== '');
  const found = Object.keys(expected).map((one) => [one, standingOf(one, { authors, deciders })]);
  expect(Object.fromEntries(found)).toEqual(expected);
  const asked = deciders.filter((one) => expected[one] === 'decides' || expected[one] === 'decides-own');
  expect(decidersAmong({ authors, deciders })).toEqual(asked);
});
