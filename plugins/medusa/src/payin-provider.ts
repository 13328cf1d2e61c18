import type {
  AuthorizePaymentInput,
  AuthorizePaymentOutput,
  CancelPaymentInput,
  CancelPaymentOutput,
  CapturePaymentInput,
  CapturePaymentOutput,
  DeletePaymentInput,
  DeletePaymentOutput,
  GetPaymentStatusInput,
  GetPaymentStatusOutput,
  InitiatePaymentInput,
  InitiatePaymentOutput,
  ProviderWebhookPayload,
  RefundPaymentInput,
  RefundPaymentOutput,
  RetrievePaymentInput,
  RetrievePaymentOutput,
  UpdatePaymentInput,
  UpdatePaymentOutput,
  WebhookActionResult,
} from '@medusajs/framework/types'
import { AbstractPaymentProvider, BigNumber, MedusaError } from '@medusajs/framework/utils'
import { Payin, webhooks } from 'payin-sdk'
import { type PayinOptions, PayinSessions, Refused } from './payin-sessions.ts'

/** Turns a refusal into Medusa's error, whose message the storefront and the admin show. */
const inMedusa = async <T>(work: Promise<T>): Promise<T> => {
  try {
    return await work
  } catch (error) {
    if (error instanceof Refused) throw new MedusaError(MedusaError.Types.NOT_ALLOWED, error.message, error.code)
    throw error
  }
}

/** Bank transfers through Payin as a payment provider of Medusa; `PayinSessions` does the work. */
export class PayinProvider extends AbstractPaymentProvider<PayinOptions> {
  static override identifier = 'payin'
  readonly #sessions: PayinSessions

  static override validateOptions(options: Record<string, unknown>): void {
    for (const name of ['baseUrl', 'token', 'webhookSecret']) {
      if (typeof options[name] === 'string' && options[name] !== '') continue
      throw new MedusaError(
        MedusaError.Types.INVALID_DATA,
        `The option ${name} of the payment provider payin is missing.`,
      )
    }
  }

  constructor(container: Record<string, unknown>, options: PayinOptions) {
    super(container, options)
    this.#sessions = new PayinSessions(new Payin(options), webhooks.verify, options)
  }

  initiatePayment({ amount, currency_code, data, context }: InitiatePaymentInput): Promise<InitiatePaymentOutput> {
    return inMedusa(this.#sessions.begin(data, new BigNumber(amount).numeric, currency_code, context?.customer?.id))
  }

  updatePayment({ amount, currency_code, data, context }: UpdatePaymentInput): Promise<UpdatePaymentOutput> {
    return inMedusa(this.#sessions.change(data, new BigNumber(amount).numeric, currency_code, context?.customer?.id))
  }

  authorizePayment({ data }: AuthorizePaymentInput): Promise<AuthorizePaymentOutput> {
    return inMedusa(this.#sessions.read(data))
  }

  getPaymentStatus({ data }: GetPaymentStatusInput): Promise<GetPaymentStatusOutput> {
    return inMedusa(this.#sessions.read(data))
  }

  async retrievePayment({ data }: RetrievePaymentInput): Promise<RetrievePaymentOutput> {
    return { data: (await inMedusa(this.#sessions.read(data))).data }
  }

  async capturePayment({ data }: CapturePaymentInput): Promise<CapturePaymentOutput> {
    return { data: await inMedusa(this.#sessions.acknowledge(data)) }
  }

  async cancelPayment({ data }: CancelPaymentInput): Promise<CancelPaymentOutput> {
    return { data: await inMedusa(this.#sessions.cancel(data)) }
  }

  async deletePayment({ data }: DeletePaymentInput): Promise<DeletePaymentOutput> {
    return { data: await inMedusa(this.#sessions.cancel(data)) }
  }

  async refundPayment({ amount, data, context }: RefundPaymentInput): Promise<RefundPaymentOutput> {
    const reference = context?.idempotency_key ?? `medusa ${crypto.randomUUID()}`
    return { data: await inMedusa(this.#sessions.refund(data, new BigNumber(amount).numeric, reference)) }
  }

  getWebhookActionAndData({ rawData, headers }: ProviderWebhookPayload['payload']): Promise<WebhookActionResult> {
    return this.#sessions.readNotification(rawData, headers)
  }
}
