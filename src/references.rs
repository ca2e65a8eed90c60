//! The works that answers cite: the only place a title is written.

use crate::error::{Error, Result};

/// One work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reference {
    /// The key that answers use.
    pub key: &'static str,
    /// Authors.
    pub authors: &'static str,
    /// Title.
    pub title: &'static str,
    /// Journal, conference or series.
    pub venue: &'static str,
    /// Year of publication.
    pub year: u16,
    /// DOI or RFC number, empty if neither is known.
    pub id: &'static str,
}

const fn work(
    key: &'static str,
    authors: &'static str,
    title: &'static str,
    venue: &'static str,
    year: u16,
    id: &'static str,
) -> Reference {
    Reference {
        key,
        authors,
        title,
        venue,
        year,
        id,
    }
}

/// Every work cited, by key.
pub const REFERENCES: &[Reference] = &[
    work(
        "brakmo1995",
        "L. S. Brakmo and L. L. Peterson",
        "TCP Vegas: end to end congestion avoidance on a global Internet",
        "IEEE Journal on Selected Areas in Communications 13(8)",
        1995,
        "doi:10.1109/49.464716",
    ),
    work(
        "breda2005",
        "D. Breda, S. Maset and R. Vermiglio",
        "Pseudospectral differencing methods for characteristic roots of delay differential equations",
        "SIAM Journal on Scientific Computing 27(2)",
        2005,
        "doi:10.1137/030601600",
    ),
    work(
        "chiu1989",
        "D. Chiu and R. Jain",
        "Analysis of the increase and decrease algorithms for congestion avoidance in computer networks",
        "Computer Networks and ISDN Systems 17(1)",
        1989,
        "doi:10.1016/0169-7552(89)90019-6",
    ),
    work(
        "corless1996",
        "R. M. Corless, G. H. Gonnet, D. E. G. Hare, D. J. Jeffrey and D. E. Knuth",
        "On the Lambert W function",
        "Advances in Computational Mathematics 5",
        1996,
        "doi:10.1007/BF02124750",
    ),
    work(
        "deschepper2016",
        "K. De Schepper, O. Bondarenko, I. Tsang and B. Briscoe",
        "PI2: a linearized AQM for both classic and scalable TCP",
        "ACM CoNEXT",
        2016,
        "doi:10.1145/2999572.2999578",
    ),
    work(
        "floyd2000",
        "S. Floyd, M. Handley and J. Padhye",
        "A comparison of equation-based and AIMD congestion control",
        "ICSI technical report",
        2000,
        "",
    ),
    work(
        "floyd2002",
        "S. Floyd, S. Ratnasamy and S. Shenker",
        "Modifying TCP's congestion control for high speeds",
        "Rough draft, ICSI",
        2002,
        "",
    ),
    work(
        "ha2008",
        "S. Ha, I. Rhee and L. Xu",
        "CUBIC: a new TCP-friendly high-speed TCP variant",
        "ACM SIGOPS Operating Systems Review 42(5)",
        2008,
        "doi:10.1145/1400097.1400105",
    ),
    work(
        "hayes1950",
        "N. D. Hayes",
        "Roots of the transcendental equation associated with a certain difference-differential equation",
        "Journal of the London Mathematical Society 25",
        1950,
        "doi:10.1112/jlms/s1-25.3.226",
    ),
    work(
        "hollot2001",
        "C. V. Hollot, V. Misra, D. Towsley and W. Gong",
        "On designing improved controllers for AQM routers supporting TCP flows",
        "IEEE INFOCOM",
        2001,
        "doi:10.1109/INFCOM.2001.916670",
    ),
    work(
        "hollot2001red",
        "C. V. Hollot, V. Misra, D. Towsley and W. Gong",
        "A control theoretic analysis of RED",
        "IEEE INFOCOM",
        2001,
        "",
    ),
    work(
        "jacobsson2009",
        "K. Jacobsson, L. L. H. Andrew, A. Tang, S. H. Low and H. Hjalmarsson",
        "An improved link model for window flow control and its application to FAST TCP",
        "IEEE Transactions on Automatic Control 54(3)",
        2009,
        "",
    ),
    work(
        "jin2004",
        "C. Jin, D. X. Wei and S. H. Low",
        "FAST TCP: motivation, architecture, algorithms, performance",
        "IEEE INFOCOM",
        2004,
        "doi:10.1109/INFCOM.2004.1354670",
    ),
    work(
        "katabi2002",
        "D. Katabi, M. Handley and C. Rohrs",
        "Congestion control for high bandwidth-delay product networks",
        "ACM SIGCOMM",
        2002,
        "doi:10.1145/633025.633035",
    ),
    work(
        "kelly2001",
        "F. P. Kelly",
        "Mathematical modelling of the Internet",
        "Mathematics Unlimited: 2001 and Beyond, Springer",
        2001,
        "",
    ),
    work(
        "kelly2003",
        "T. Kelly",
        "Scalable TCP: improving performance in highspeed wide area networks",
        "ACM SIGCOMM Computer Communication Review 33(2)",
        2003,
        "doi:10.1145/956981.956989",
    ),
    work(
        "leith2004",
        "D. J. Leith and R. N. Shorten",
        "H-TCP: TCP for high-speed and long-distance networks",
        "PFLDnet",
        2004,
        "",
    ),
    work(
        "linux",
        "Linux kernel developers",
        "Linux kernel source, net/ipv4",
        "kernel.org",
        2025,
        "",
    ),
    work(
        "liu2006",
        "S. Liu, T. Basar and R. Srikant",
        "TCP-Illinois: a loss and delay-based congestion control algorithm for high-speed networks",
        "VALUETOOLS",
        2006,
        "doi:10.1145/1190095.1190166",
    ),
    work(
        "low2002",
        "S. H. Low, L. L. Peterson and L. Wang",
        "Understanding TCP Vegas: a duality model",
        "Journal of the ACM 49(2)",
        2002,
        "doi:10.1145/506147.506152",
    ),
    work(
        "low2002red",
        "S. H. Low, F. Paganini, J. Wang, S. Adlakha and J. C. Doyle",
        "Dynamics of TCP/RED and a scalable control",
        "IEEE INFOCOM",
        2002,
        "",
    ),
    work(
        "low2005",
        "S. H. Low, L. L. H. Andrew and B. P. Wydrowski",
        "Understanding XCP: equilibrium and fairness",
        "IEEE INFOCOM",
        2005,
        "",
    ),
    work(
        "mathis1997",
        "M. Mathis, J. Semke, J. Mahdavi and T. Ott",
        "The macroscopic behavior of the TCP congestion avoidance algorithm",
        "ACM SIGCOMM Computer Communication Review 27(3)",
        1997,
        "doi:10.1145/263932.264023",
    ),
    work(
        "misra2000",
        "V. Misra, W. Gong and D. Towsley",
        "Fluid-based analysis of a network of AQM routers supporting TCP flows with an application to RED",
        "ACM SIGCOMM",
        2000,
        "doi:10.1145/347059.347421",
    ),
    work(
        "padhye1998",
        "J. Padhye, V. Firoiu, D. Towsley and J. Kurose",
        "Modeling TCP throughput: a simple model and its empirical validation",
        "ACM SIGCOMM",
        1998,
        "doi:10.1145/285237.285291",
    ),
    work(
        "rfc3649",
        "S. Floyd",
        "HighSpeed TCP for large congestion windows",
        "RFC 3649",
        2003,
        "RFC 3649",
    ),
    work(
        "rfc3714",
        "S. Floyd and J. Kempf",
        "IAB concerns regarding congestion control for voice traffic in the Internet",
        "RFC 3714",
        2004,
        "RFC 3714",
    ),
    work(
        "rfc4828",
        "S. Floyd and E. Kohler",
        "TCP Friendly Rate Control (TFRC): the small-packet (SP) variant",
        "RFC 4828",
        2007,
        "RFC 4828",
    ),
    work(
        "rfc5348",
        "S. Floyd, M. Handley, J. Padhye and J. Widmer",
        "TCP Friendly Rate Control (TFRC): protocol specification",
        "RFC 5348",
        2008,
        "RFC 5348",
    ),
    work(
        "rfc5681",
        "M. Allman, V. Paxson and E. Blanton",
        "TCP congestion control",
        "RFC 5681",
        2009,
        "RFC 5681",
    ),
    work(
        "rfc8033",
        "R. Pan, P. Natarajan, F. Baker and G. White",
        "Proportional Integral Controller Enhanced (PIE): a lightweight control scheme to address the bufferbloat problem",
        "RFC 8033",
        2017,
        "RFC 8033",
    ),
    work(
        "rfc8312",
        "I. Rhee, L. Xu, S. Ha, A. Zimmermann, L. Eggert and R. Scheffenegger",
        "CUBIC for fast long-distance networks",
        "RFC 8312",
        2018,
        "RFC 8312",
    ),
    work(
        "rfc9332",
        "K. De Schepper, B. Briscoe and G. White",
        "Dual-queue coupled active queue management (AQM) for low latency, low loss, and scalable throughput (L4S)",
        "RFC 9332",
        2023,
        "RFC 9332",
    ),
    work(
        "rfc9438",
        "L. Xu, S. Ha, I. Rhee, V. Goel and L. Eggert",
        "CUBIC for fast and long-distance networks",
        "RFC 9438",
        2023,
        "RFC 9438",
    ),
    work(
        "tan2006",
        "K. Tan, J. Song, Q. Zhang and M. Sridharan",
        "A Compound TCP approach for high-speed and long distance networks",
        "IEEE INFOCOM",
        2006,
        "doi:10.1109/INFOCOM.2006.188",
    ),
    work(
        "wang2005",
        "J. Wang, D. X. Wei and S. H. Low",
        "Modelling and stability of FAST TCP",
        "IEEE INFOCOM",
        2005,
        "",
    ),
    work(
        "wei2006",
        "D. X. Wei, C. Jin, S. H. Low and S. Hegde",
        "FAST TCP: motivation, architecture, algorithms, performance",
        "IEEE/ACM Transactions on Networking 14(6)",
        2006,
        "doi:10.1109/TNET.2006.886335",
    ),
    work(
        "xu2004",
        "L. Xu, K. Harfoush and I. Rhee",
        "Binary increase congestion control (BIC) for fast long-distance networks",
        "IEEE INFOCOM",
        2004,
        "doi:10.1109/INFCOM.2004.1354672",
    ),
];

/// The work with this key.
///
/// # Errors
/// [`Error::Unknown`] with the nearest key.
pub fn find(key: &str) -> Result<&'static Reference> {
    REFERENCES
        .iter()
        .find(|r| r.key == key)
        .ok_or_else(|| Error::unknown("key of a reference", key, REFERENCES.iter().map(|r| r.key)))
}
