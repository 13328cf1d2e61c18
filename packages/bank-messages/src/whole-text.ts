import type { Message } from './message.ts'

/** The text that templates are compared with: the title of a notification, if there is one, and the text. */
export const wholeText = ({ title, text }: Message): string => (title ? `${title}\n${text}` : text)
