import { cut } from './cut.ts';
import { type ChannelMessage, linkText, titleOf } from './message.ts';

/** Of title and body together, as they are written. */
const mostCharacters = 3_000;

/**
 * A message in Slack's mrkdwn: the title in bold, the body, and a line with the link. Mattermost and Discord read it as
 * Markdown, where what is bold in Slack and Rocket.Chat is italic.
 */
export function chatText(message: ChannelMessage): string {
  const title = cut(plain(titleOf(message)), mostCharacters - 2, escaped);
  const body = plain(message.body.replaceAll(/\r\n?|[\u0085\u2028\u2029]/g, '\n').trim());
  const room = mostCharacters - [...title].length - 3;
  const below = body === '' || room < 1 ? '' : `\n${cut(body, room, escaped)}`;
  return `*${title}*${below}\n<${address(message.link)}|${linkText}>`;
}

/** Characters of control, and those that turn the direction of what follows: programs write them into what they say. */
const unseen = /[^\P{Cc}\n\t]|[\u202A-\u202E\u2066-\u2069]/gu;

/**
 * Characters that would be formatting are replaced by others that look alike: Slack has no escape for them, and a space without
 * width before one begins formatting there instead of preventing it. Underscores within a word format nowhere, and stay.
 * A mention needs no brackets in Mattermost, Rocket.Chat and Discord, where `@all` calls everybody, and a link of Markdown hides where
 * it leads: these two are taken apart by a space without width.
 */
function plain(text: string): string {
  return text
    .replaceAll(unseen, '')
    .replaceAll(/[*＊]/g, '∗')
    .replaceAll(/[`｀]/g, 'ˋ')
    .replaceAll('~', '∼')
    .replaceAll(/(?<![\p{L}\p{N}][_＿]*)[_＿]|[_＿](?![_＿]*[\p{L}\p{N}])/gu, 'ˍ')
    .replaceAll(/\\(?=[!-/:-@[-`{-~]|$)/gm, '∖')
    .replaceAll(/@(?=[\p{L}\p{N}])/gu, '@\u200b')
    .replaceAll(/\](?=[([:])/g, ']\u200b');
}

/** The three characters that Slack's own markup begins and ends with. */
function escaped(character: string): string {
  return { '&': '&amp;', '<': '&lt;', '>': '&gt;' }[character] ?? character;
}

function address(link: string): string {
  return link.replaceAll('|', '%7C').replaceAll('<', '%3C').replaceAll('>', '%3E').replaceAll('&', '&amp;');
}
