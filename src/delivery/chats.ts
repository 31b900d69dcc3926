import type { Chat } from './chat.ts';
import { slack } from './slack.ts';

/** Every kind of chat that reports can be posted to. */
export const chats: readonly Chat[] = [slack];
