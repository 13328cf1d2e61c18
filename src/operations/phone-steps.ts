import { isLoopback } from '../rules/notices/endpoint.ts'
import { type PhoneApp, simulatedApp } from '../rules/phones/phone.ts'

type Access = { readonly address: string; readonly secret: string }

const template =
  '{"from":"%from%","text":"%text%","sentStamp":%sentStamp%,"receivedStamp":%receivedStamp%,"sim":"%sim%"}'

const forwarderTemplate =
  '{"from":"[from]","org_content":"[org_content]","title":"[title]","card_slot":"[card_slot]","receive_time":"[receive_time]","timestamp":"[timestamp]","sign":"[sign]"}'

/** How to set up each app, step by step; docs/phones.md says more. */
const steps: Readonly<Record<PhoneApp, (access: Access) => readonly string[]>> = {
  smsgate: ({ address, secret }) => [
    'Install SMS Gateway (sms-gate.app) on the phone, and let it run in the background.',
    `Settings → Webhooks → Signing Key: ${secret}`,
    `Register the webhook with the app's own API, whose user and password its first page shows: curl -u <user>:<password> -H 'content-type: application/json' -d '{"event":"sms:received","url":"${address}"}' http://<phone>:8080/webhooks`,
    'Register another one for the event system:ping with the same URL, and turn the ping on (Settings → Ping).',
  ],
  'sms-webhook': ({ address, secret }) => [
    'Install "Incoming SMS to URL Forwarder" on the phone, and turn off battery saving for it.',
    'Add a rule for each bank; its sender exactly as the phone shows it, such as 900.',
    `URL: ${address}`,
    `Headers: {"payin-secret":"${secret}"}`,
    `JSON template, as the app has it: ${template}`,
    'Press Test: the phone then has been seen.',
  ],
  smsforwarder: ({ address, secret }) => [
    'Install SmsForwarder on the phone, and let it read SMS and notifications.',
    `Senders → Webhook → POST, server ${address}, secret ${secret}`,
    `Parameters: ${forwarderTemplate}`,
    'Add a rule for each sender of SMS, and one for the app of each bank.',
    'The app does not check certificates: use it in networks that you trust only.',
  ],
  other: ({ address, secret }) => [
    `Let the app or the shortcut send POST requests to ${address}/${secret}`,
    'Fields, as a form or JSON: for an SMS from and text; for a notification package, title and text; if it knows them also timestamp and sim.',
    'In MacroDroid and Tasker choose form fields, not JSON: they put quotation marks of a message into it as they are.',
    `If it can send headers, use the address without its last part, and the header Authorization: Bearer ${secret}`,
  ],
  simulated: () => ['The simulated bank uses this phone: there is nothing to set up.'],
}

/**
 * What the phone scans instead of typing it. No app of these reads settings from a code: it is the text that its user pastes,
 * for `other` the address with the secret, for the others both of them apart.
 */
export const scannedBy = (
  app: PhoneApp,
  { address, secret }: Access,
): { readonly name: 'Address' | 'Secret' | 'Address with the secret'; readonly text: string }[] =>
  app === 'other'
    ? [{ name: 'Address with the secret', text: `${address}/${secret}` }]
    : [
        { name: 'Address', text: address },
        { name: 'Secret', text: secret },
      ]

const unreachable = (origin: string): string =>
  `First: no phone reaches ${origin}. Set PUBLIC_URL to the https address of this service, start it again, and give the phone a new secret.`

/** How to set up an app; SMS Gateway takes only addresses with https. */
export const stepsOf = (app: PhoneApp, access: Access): string[] => {
  const { protocol, hostname, origin } = new URL(access.address)
  const isReachable = app === simulatedApp || (!isLoopback(hostname) && (protocol === 'https:' || app !== 'smsgate'))
  return [...(isReachable ? [] : [unreachable(origin)]), ...steps[app](access)]
}
