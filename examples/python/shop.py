"""A shop whose users top up a balance. A notification, a poll and a restart all lead to settle()."""

import base64
import hashlib
import hmac
import json
import os
import sqlite3
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PAYIN_URL = os.environ.get("PAYIN_URL", "http://localhost:8080")
PAYIN_TOKEN = os.environ["PAYIN_TOKEN"]
PAYIN_SECRET = os.environ["PAYIN_SECRET"]
PORT = int(os.environ.get("PORT", "3000"))
POLL_SECONDS = float(os.environ.get("POLL_SECONDS", "10"))

database = sqlite3.connect(os.environ.get("SHOP_DATA", "shop.db"), check_same_thread=False, isolation_level=None)
database.execute(
    "create table if not exists topups (order_id text primary key, user_id text not null,"
    " credited integer not null default 0, done integer not null default 0)"
)
# Settles one order at a time: an old answer of Payin must not overwrite a newer one.
lock = threading.RLock()


def sql(text, *values):
    with lock:
        return database.execute(text, values).fetchall()


def payin(method, path, body=None):
    """Calls Payin; amounts are read as exact decimals."""
    request = urllib.request.Request(
        PAYIN_URL + "/api/v1/merchant" + path,
        method=method,
        data=None if body is None else json.dumps(body, default=float).encode(),
        headers={"Authorization": "Bearer " + PAYIN_TOKEN, "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.loads(answer.read(), parse_float=Decimal, parse_int=Decimal)


def top_up(user, amount, currency):
    """Creates a payment. The order is stored first, so that it is found again whatever fails after that."""
    order_id = str(uuid.uuid4())
    sql("insert into topups (order_id, user_id) values (?, ?)", order_id, user)
    body = {"type": "direct", "method": "sbp", "amount": amount, "currency": currency}
    created = payin("POST", "/payments", {**body, "orderId": order_id, "userId": user})
    return {"orderId": order_id, "redirectUrl": created["redirectUrl"]}


def settle(order_id):
    """Reads a payment from Payin, credits the user, then acknowledges it. Doing it again changes nothing."""
    with lock:
        if not sql("select 1 from topups where order_id = ?", order_id):
            return
        payment = payin("GET", "/payments/byOrderId/" + urllib.parse.quote(order_id, safe=""))
        if payment["status"] not in ("paid", "disput-paid"):
            return
        amount = payment.get("finalAmount", payment["amount"])
        # The credit of an order is set, not added: doing it twice has the effect of once.
        sql("update topups set credited = ? where order_id = ?", int(amount * 100), order_id)
        payin("POST", "/payments/byOrderId/ack", {"orderId": order_id, "status": payment["status"]})
        sql("update topups set done = 1 where order_id = ?", order_id)


def poll():
    """The fallback for lost notifications, and for what a crash interrupted."""
    while True:
        for (order_id,) in sql("select order_id from topups where done = 0"):
            try:
                settle(order_id)
            except (urllib.error.URLError, OSError) as error:
                # 404: the shop was stopped before it created the payment.
                if getattr(error, "code", None) != 404:
                    print(error, file=sys.stderr)
        time.sleep(POLL_SECONDS)


def is_signed(headers, body):
    """Whether Payin has signed these bytes within the last five minutes."""
    message_id, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not timestamp.isdecimal() or abs(time.time() - int(timestamp)) > 300:
        return False
    key = base64.b64decode(PAYIN_SECRET.removeprefix("whsec_"))
    digest = hmac.new(key, f"{message_id}.{timestamp}.".encode() + body, hashlib.sha256).digest()
    expected = "v1," + base64.b64encode(digest).decode()
    given = headers.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest(each.encode(), expected.encode()) for each in given)


class Shop(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", "0")))
        if self.path == "/payin":
            return self.take_notification(body)
        if self.path == "/topups":
            wanted = json.loads(body)
            return self.reply(201, top_up(wanted["user"], wanted["amount"], wanted["currency"]))
        return self.reply(404)

    def do_GET(self):
        place, _, user = self.path.removeprefix("/").partition("/")
        if place != "users":
            return self.reply(404)
        query = "select coalesce(sum(credited), 0) from topups where user_id = ?"
        [(credited,)] = sql(query, urllib.parse.unquote(user))
        return self.reply(200, {"balance": credited / 100})

    def take_notification(self, body):
        """Answers 2xx only after the user is credited: until then Payin sends the notification again."""
        if not is_signed(self.headers, body):
            return self.reply(400)
        order_id = json.loads(body)["data"].get("orderId")
        try:
            if order_id is not None:
                settle(order_id)
        except (urllib.error.URLError, OSError) as error:
            print(error, file=sys.stderr)
            return self.reply(500)
        return self.reply(204)

    def reply(self, status, content=None):
        self.send_response(status)
        if content is not None:
            self.send_header("content-type", "application/json")
        self.end_headers()
        if content is not None:
            self.wfile.write(json.dumps(content).encode())

    def log_message(self, *_):
        pass


threading.Thread(target=poll, daemon=True).start()
print(f"the shop is on http://localhost:{PORT}", flush=True)
ThreadingHTTPServer(("127.0.0.1", PORT), Shop).serve_forever()
