//! A script put into a copy of the page, which uses it as a reader would and writes down what happened.

use super::browser;
use std::fs;
use std::path::Path;

/// Listens from before the page's own script.
const LISTEN: &str = "<script>window.faults = [];
addEventListener('error', function (e) { faults.push(e.message); });
addEventListener('securitypolicyviolation', function (e) { faults.push(e.blockedURI); });
console.error = function (text) { faults.push(text); };</script>";

/// Points at a mark of the first picture, walks with the keys, leaves, and writes down what happened.
const PROBE: &str = "<script>(function () {
var svg = document.querySelector('figure svg'), tip = document.getElementById('tip'), said = {};
var spot = svg.querySelectorAll('.spot')[1], box = spot.getBoundingClientRect();
var at = { clientX: box.left + box.width / 2 + 3, clientY: box.top + box.height / 2 - 2, bubbles: true };
svg.dispatchEvent(new PointerEvent('pointermove', at));
said.pointed = tip.hidden ? '' : tip.textContent;
svg.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowLeft', bubbles: true }));
said.walked = tip.hidden ? '' : tip.textContent;
svg.dispatchEvent(new PointerEvent('pointerleave', {}));
said.left = tip.hidden;
said.titles = document.querySelectorAll('.spot title').length;
said.requests = performance.getEntriesByType('resource').length;
said.wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
said.faults = faults;
document.body.dataset.said = encodeURIComponent(JSON.stringify(said));
})();</script>";

/// What the probe says of a page.
pub fn probe(browser: &Path, folder: &Path, html: &str) -> serde_json::Value {
    let page = folder.join("probed.html");
    let html = html.replacen("<style>", &format!("{LISTEN}<style>"), 1);
    fs::write(
        &page,
        html.replacen("</body>", &format!("{PROBE}</body>"), 1),
    )
    .unwrap();
    let dom = browser::show(browser, &page, &["--dump-dom".to_owned()]);
    let said = dom.split("data-said=\"").nth(1);
    let Some(said) = said else {
        return serde_json::json!({"faults": ["the probe did not end"]});
    };
    let said = said.split('"').next().unwrap().as_bytes();
    let mut bytes = Vec::new();
    let mut at = 0;
    while at < said.len() {
        if said[at] == b'%' {
            let digits = std::str::from_utf8(&said[at + 1..at + 3]).unwrap();
            bytes.push(u8::from_str_radix(digits, 16).unwrap());
            at += 3;
        } else {
            bytes.push(said[at]);
            at += 1;
        }
    }
    serde_json::from_slice(&bytes).unwrap()
}
